// The built program as people run it, in its own process and data directory.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url));

export async function startRunningProgram(env = {}, file = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-program-'));
  await writeFile(join(dataDir, 'bough.config.json'), JSON.stringify(file), { mode: 0o600 });
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, PORT: '0', BOUGH_STORE: 'files', BOUGH_DATA_DIR: dataDir, BOUGH_GRACE_MS: '0', ...env },
    cwd: dataDir,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    ended.then((code) => reject(new Error(`The program ended with ${code}. Run \`npm run build\` first.`)), reject);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /http:\/\/\S+/.exec(line)?.[0];
      if (address !== undefined) resolve(address);
    });
  });
  const call = async (method, path, body) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(env.BOUGH_TOKEN === undefined ? {} : { authorization: `Bearer ${env.BOUGH_TOKEN}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // Ten thousand projects are more than anybody may make in a minute.
    const wait = response.status === 429 ? Number(response.headers.get('retry-after')) : 0;
    if (wait > 0)
      return new Promise((resolve) => setTimeout(resolve, wait * 1_000)).then(() => call(method, path, body));
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
  };
  return {
    url,
    call,
    /** Sends a message and waits for the whole reply. */
    say: (projectId, ref, message) => call('POST', `/projects/${projectId}/chat`, { ref, message }),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
