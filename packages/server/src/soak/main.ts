import { parseArgs } from 'node:util';
import type { StoreKind } from './lane.ts';
import { letGoOfEverything } from './held.ts';
import type { Run } from './run.ts';

import { runScenario } from './run.ts';
import { SCENARIOS } from './scenarios/index.ts';
import { notesOf, tableOf } from './table.ts';

// The kill suites: servers and databases die in the middle of work, and everything that was shown or promised is looked
// for.
const USAGE = `Usage: npm run soak -- [SCENARIO…|all] [--rounds N] [--store postgres|git|files]
                         [--seed N] [--lanes N] [--patience SECONDS]
Scenarios: ${SCENARIOS.map(({ name, what }) => `\n  ${name.padEnd(16)} ${what}`).join('')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '300' },
    store: { type: 'string' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '4' },
    patience: { type: 'string', default: '45' },
    help: { type: 'boolean', default: false },
  },
});

const names = positionals.length === 0 ? ['all'] : positionals;
const unknown = names.filter((name) => name !== 'all' && !SCENARIOS.some((scenario) => scenario.name === name));
const numbers = [values.rounds, values.seed, values.lanes, values.patience].map(Number);
if (values.help || unknown.length > 0 || numbers.some((number) => !Number.isInteger(number) || number < 1)) {
  console.error(USAGE);
  process.exit(2);
}
const [rounds = 1, seed = 1, lanes = 1, patience = 1] = numbers;

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void letGoOfEverything().then(() => process.exit(130)));

const runs: Run[] = [];
const runAll = async (): Promise<void> => {
  for (const scenario of SCENARIOS) {
    // Calm checks the suite itself and is not one of the faults.
    const isMeant = names.includes(scenario.name) || (names.includes('all') && scenario.name !== 'calm');
    const stores = scenario.stores.filter((store: StoreKind) => values.store === undefined || values.store === store);
    for (const store of isMeant ? stores : []) {
      const say = (line: string): void => console.error(line);
      runs.push(await runScenario({ scenario, store, rounds, seed, lanes, patienceMs: patience * 1000, say }));
    }
  }
};
try {
  await runAll();
} finally {
  await letGoOfEverything();
}
console.log(tableOf(runs));
for (const run of runs) console.log(notesOf(run));
process.exitCode = runs.some(({ findings }) => findings.length > 0) ? 1 : 0;
