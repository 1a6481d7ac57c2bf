// Hundreds of streams at once against the built program, with the simulator as the provider: prints throughput, order
// and memory. Usage: node packages/server/scripts/load.mjs [streams=200] [rounds=3]
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const streams = Number(process.argv[2] ?? 200);
const rounds = Number(process.argv[3] ?? 3);
const main = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'main.js');
const dataDir = await mkdtemp(join(tmpdir(), 'bough-load-'));
const child = spawn(process.execPath, [main], {
  env: { ...process.env, PORT: '0', BOUGH_DATA_DIR: dataDir, BOUGH_SIMULATOR_PACE_MS: '5', BOUGH_GRACE_MS: '0' },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const ended = new Promise((resolve) => child.once('exit', resolve));
const url = await new Promise((resolve, reject) => {
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const found = /running at (\S+)/.exec(text)?.[1];
    if (found) resolve(found);
  });
  child.once('exit', (code) => reject(new Error(`The program ended with ${code}.`)));
});

const post = async (path, body) => {
  const response = await fetch(`${url}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
};
const residentMb = async () =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

try {
  const { project } = await (await post('/projects', { name: 'load' })).json();
  for (let index = 0; index < streams; index += 1)
    await post(`/projects/${project.id}/branches`, { name: `b${index}` });
  console.log(`idle: ${(await residentMb()).toFixed(0)} MB`);
  for (let round = 1; round <= rounds; round += 1) {
    const started = performance.now();
    let lines = 0;
    let disorder = 0;
    let peak = 0;
    const watch = setInterval(() => {
      void residentMb().then((now) => (peak = Math.max(peak, now)));
    }, 250);
    await Promise.all(
      Array.from({ length: streams }, async (_, index) => {
        const response = await post(`/projects/${project.id}/chat`, {
          ref: `b${index}`,
          message: `Round ${round} /sim think 2 /sim long 4000`,
        });
        let last = 0;
        let rest = '';
        for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
          const parts = (rest + chunk).split('\n');
          rest = parts.pop();
          for (const part of parts) {
            const line = JSON.parse(part);
            if (line.type === 'heartbeat') continue;
            lines += 1;
            if (line.seq !== last + 1) disorder += 1;
            last = line.seq;
          }
        }
      }),
    );
    clearInterval(watch);
    const seconds = (performance.now() - started) / 1000;
    console.log(
      `round ${round}: ${streams} streams, ${lines} lines in ${seconds.toFixed(1)} s (${(lines / seconds).toFixed(0)} lines/s), out of order: ${disorder}, peak ${peak.toFixed(0)} MB`,
    );
    if (disorder > 0) process.exitCode = 1;
  }
} finally {
  child.kill('SIGTERM');
  await ended;
  await rm(dataDir, { recursive: true, force: true });
}
