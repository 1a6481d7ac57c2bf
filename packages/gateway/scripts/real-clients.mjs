// Real clients from the npm registry hold conversations through the gateway against the simulator, in its three modes
// and with a budget that is used up:
//   npm run clients -- [--only codex] [--mode repair] [--clients folder] [--keep]
// Everything happens in a temporary folder, which is also the clients' home; nothing is left behind. `--clients` takes
// a folder in which they are installed already; `--keep` leaves the folder with what was on the wire.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { playRefused } from './real-clients/budget.mjs';
import { compareRebuilt, play } from './real-clients/check.mjs';
import { CLIENTS } from './real-clients/clients.mjs';
import { install, versionOf } from './real-clients/install.mjs';
import { rebuilt } from './real-clients/look.mjs';
import { endAll } from './real-clients/processes.mjs';
import { startStage } from './real-clients/stage.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    mode: { type: 'string', multiple: true, default: ['record', 'repair', 'route', 'budget'] },
    clients: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const chosen = CLIENTS.filter(({ program }) => values.only.length === 0 || values.only.includes(program));
const folder = mkdtempSync(join(tmpdir(), 'bough-clients-'));
const clean = () => {
  endAll();
  if (!values.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    clean();
    process.exit(1);
  });

try {
  const packages = chosen.map((client) => client.package);
  const clients = values.clients ?? (await install(packages, join(folder, 'clients')));
  const results = [];
  for (const mode of values.mode) results.push(...(await inMode(mode, clients)));
  print(results, clients);
  process.exitCode = results.some(({ problems }) => problems.length > 0) ? 1 : 0;
} finally {
  clean();
  if (values.keep) console.log(`Kept: ${folder}`);
}

async function inMode(mode, clients) {
  const place = join(folder, mode);
  mkdirSync(place);
  const stage = await startStage(place, mode, clients);
  const results = [];
  try {
    for (const client of chosen)
      results.push(await (mode === 'budget' ? playRefused : play)(client, stage, console.log));
  } finally {
    await stage.stop();
    if (values.keep) {
      for (const side of ['front', 'behind']) writeFileSync(join(place, `${side}.jsonl`), linesOf(stage[side].seen));
      writeFileSync(join(place, 'bough.log'), stage.log());
    }
  }
  if (mode === 'budget') return results;
  const bodies = await rebuilt(stage.data);
  for (const result of results) compareRebuilt(result, bodies);
  return results;
}

function linesOf(seen) {
  return seen.map(({ body, ...rest }) => `${JSON.stringify({ ...rest, body: body.toString('utf8') })}\n`).join('');
}

function print(results, clients) {
  const columns = [
    'requests',
    'projects',
    'main',
    'asides',
    'turns',
    'calls',
    'tools',
    'rebuilt',
    'repaired',
    'refused',
  ];
  console.log(
    `\n| client | mode | ${columns.join(' | ')} | result |\n|---|---|${columns.map(() => '---:|').join('')}---|`,
  );
  for (const { client, mode, sums, problems } of results) {
    const name = `${client.name} ${versionOf(client.package, clients)}`;
    const result = problems.length === 0 ? 'good' : `${problems.length} problems`;
    console.log(`| ${name} | ${mode} | ${columns.map((column) => sums[column] ?? '').join(' | ')} | ${result} |`);
  }
  for (const { client, mode, problems } of results)
    for (const problem of problems) console.log(`- ${client.name}, ${mode}: ${problem}`);
}
