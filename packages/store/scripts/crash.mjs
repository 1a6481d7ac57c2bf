// Kills a writer with SIGKILL hundreds of times and checks the store after each death.
//
//   node packages/store/scripts/crash.mjs <files|git|postgres> [rounds] [seed]
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const [name = '', rounds = '300', seed = '1'] = process.argv.slice(2);
if (!['files', 'git', 'postgres'].includes(name)) throw new Error('Name a back end: files, git or postgres.');

/** From source, as in the tests: nothing has to be built first. */
async function load(path) {
  const { module } = await runnerImport(fileURLToPath(new URL(path, import.meta.url)), {
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['source'] },
    environments: { inline: { resolve: { conditions: ['source'], noExternal: [/^@bough\//] } } },
  });
  return module;
}

const { runCrashCommand } = await load('../src/contract/crash/command.ts');
const { crashBackend } = await load(`../src/${name}/crash-backend.ts`);
console.log(`${name}: ${await runCrashCommand(crashBackend, Number(rounds), Number(seed))}`);
