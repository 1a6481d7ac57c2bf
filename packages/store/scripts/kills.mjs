// Kills the PostgreSQL under a running store hundreds of times and compares every acknowledged write after each kill.
//
//   node packages/store/scripts/kills.mjs [kills] [seed]
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const [kills = '300', seed = '1'] = process.argv.slice(2);
const { module } = await runnerImport(fileURLToPath(new URL('../src/postgres/database-kills.ts', import.meta.url)), {
  configFile: false,
  logLevel: 'error',
  resolve: { conditions: ['source'] },
  environments: { inline: { resolve: { conditions: ['source'], noExternal: [/^@bough\//] } } },
});
const began = performance.now();
const rounds = await module.databaseKills(Number(kills), Number(seed), ({ round, how, acknowledged }) => {
  if (round % 25 === 0) console.log(`kill ${round} (${how}): ${acknowledged} acknowledged, all of them found`);
});
const sum = (of) => rounds.reduce((total, round) => total + of(round), 0);
console.log(
  `killed ${rounds.length} times in ${Math.round((performance.now() - began) / 1000)} s; ` +
    `${sum(({ acknowledged }) => acknowledged)} acknowledged writes: 0 lost, 0 doubled, 0 failed; ` +
    `${sum(({ repeatedImports }) => repeatedImports)} imports had to be given once more`,
);
