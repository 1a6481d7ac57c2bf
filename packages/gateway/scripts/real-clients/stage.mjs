import { startSimulator } from '@bough/simulator';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, serve } from './processes.mjs';
import { startTee } from './tee.mjs';

const BOUGH = resolve(dirname(fileURLToPath(import.meta.url)), '../../../cli/dist/bough.mjs');
const KEY = 'sk-the-vendors-key-0123456789';
const CLIENT_MS = 240_000;

/** Each client is led to another vendor. */
const ROUTES = [
  { from: 'anthropic', model: '*', to: { provider: 'openai_responses', model: 'gpt-5.4' } },
  { from: 'openai_responses', model: '*', to: { provider: 'gemini', model: 'gemini-2.5-pro' } },
  { from: 'gemini', model: '*', to: { provider: 'anthropic', model: 'claude-opus-4-6' } },
];

/** With `budget`, the first answer that a client gets uses its budget up. */
const CONFIGS = {
  record: { gateway: { mode: 'record' } },
  repair: { gateway: { mode: 'repair' } },
  route: { gateway: { routes: ROUTES } },
  budget: { gateway: { mode: 'repair' }, budgets: { 'a drop': { client: '*', tokens: 1, per: 'total' } } },
};

/** Client, wire, Bough, wire, simulator: what a client sends and what a vendor gets are both seen. */
export async function startStage(folder, mode, clients) {
  const home = join(folder, 'home');
  const data = join(folder, 'data');
  const work = join(folder, 'work');
  for (const each of [home, data, work, join(folder, 'tmp')]) mkdirSync(each, { recursive: true });
  writeFileSync(join(work, 'notes.txt'), 'A tree has a root, branches and leaves.\n');
  const config = join(folder, 'bough.config.json');
  writeFileSync(config, JSON.stringify(CONFIGS[mode]));
  const simulator = await startSimulator({ seed: 'real clients', keys: [KEY] });
  const behind = await startTee(simulator.url);
  const plain = {
    PATH: [join(clients, 'node_modules', '.bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: home,
    TMPDIR: join(folder, 'tmp'),
    TERM: 'dumb',
    LANG: 'C.UTF-8',
  };
  const bough = await serve(
    process.execPath,
    [BOUGH, 'serve', '--port', '0', '--store', 'files', '--data', data, '--config', config],
    {
      cwd: folder,
      env: {
        ...plain,
        BOUGH_GRACE_MS: '0',
        ANTHROPIC_BASE_URL: behind.url,
        ANTHROPIC_API_KEY: KEY,
        OPENAI_BASE_URL: `${behind.url}/v1`,
        OPENAI_API_KEY: KEY,
        GOOGLE_GEMINI_BASE_URL: behind.url,
        GEMINI_API_KEY: KEY,
      },
      address: /running at (http:\S+)/,
    },
  );
  const front = await startTee(bough.url);
  return {
    mode,
    data,
    front,
    behind,
    simulator,
    log: bough.log,
    api: async (path) => {
      const response = await fetch(`${bough.url}/api${path}`);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    /** Through `bough run`, as a person does it. */
    client: (program, words, env) =>
      run(process.execPath, [BOUGH, 'run', '--server', front.url, '--', program, ...words], {
        cwd: work,
        env: { ...plain, ...env },
        timeoutMs: CLIENT_MS,
      }),
    stop: async () => {
      await bough.stop();
      await front.close();
      await behind.close();
      await simulator.close();
    },
  };
}
