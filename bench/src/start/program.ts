import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What `npm start` runs after the build. */
const BOUGH = fileURLToPath(new URL('../../../packages/cli/dist/bough.mjs', import.meta.url));
/** A server that has nothing to load, open or store. */
const HELLO = `require('node:http').createServer((_, answer) => answer.end('{"projects":[]}')).listen(0, '127.0.0.1', function () {
  console.log('hello is running at http://127.0.0.1:' + this.address().port);
})`;

export interface Started {
  /** From the start of the process to the first answer, in milliseconds. */
  readonly ms: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export function startBough(dataDir: string): Promise<Started> {
  if (!existsSync(BOUGH)) throw new Error('Bough is not built. Run `npm run build` first.');
  return start([BOUGH, 'serve', '--port', '0'], {
    BOUGH_DATA_DIR: dataDir,
    HOME: dataDir,
    // The simulated model would otherwise write at the speed of a real one.
    BOUGH_SIMULATOR_PACE_MS: '0',
  });
}

export function startHello(): Promise<Started> {
  return start(['-e', HELLO], {});
}

async function start(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Started> {
  const began = performance.now();
  const child = spawn(process.execPath, words, {
    // Nothing from this process's environment: a provider key or another data directory would change what is started.
    env: { PATH: process.env['PATH'] ?? '', ...env },
    cwd: env['BOUGH_DATA_DIR'] ?? '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let complained = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complained = (complained + text).slice(-2_000)));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const address = /running at (\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`${words[0]} ended with ${code}: ${complained}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  const response = await fetch(`${url}/api/projects`);
  const answer = await response.text();
  const ms = performance.now() - began;
  if (response.ok && answer.startsWith('{"projects":[')) return { ms, url, stop };
  await stop();
  throw new Error(`${url} answered ${response.status}: ${answer}`);
}
