// Hostile requests against the built program, on each store: prints what was answered and fails on any 5xx.
// Usage: node packages/server/scripts/fuzz.mjs [requests=240000] [seed=the time] [stores=files,git,postgres]
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fuzz } from '../dist/testing/fuzz/index.js';
import { FUZZ_CONFIG, fuzzEnvironment } from '../dist/testing/fuzz/server.js';

const total = Number(process.argv[2] ?? 240_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const stores = (process.argv[4] ?? 'files,git,postgres').split(',');
const main = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'main.js');

async function start(store, token, dataDir) {
  const config = join(dataDir, 'fuzz.config.json');
  await writeFile(config, JSON.stringify(FUZZ_CONFIG));
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      ...fuzzEnvironment(),
      PORT: '0',
      BOUGH_STORE: store,
      BOUGH_DATA_DIR: dataDir,
      BOUGH_CONFIG: config,
      BOUGH_SIMULATOR_PACE_MS: '0',
      BOUGH_GRACE_MS: '0',
      ...(token === null ? {} : { BOUGH_TOKEN: token }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Requests are logged by the thousand; only internal failures are of interest.
  const complaints = [];
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    complaints.push(...lines.filter((line) => !line.includes('"event":"request"')));
  });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const found = /running at (\S+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`The program ended with ${code}: ${complaints.join('\n')}`)));
  });
  return { child, url, ended, complaints };
}

/** Null if the server is healthy: alive, ready, and able to hold a conversation. */
async function illness({ child, url }, token) {
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  if (child.exitCode !== null) return `the program ended with ${child.exitCode}`;
  for (const path of ['/api/healthz', '/api/healthz/ready']) {
    const { status } = await fetch(`${url}${path}`, { headers });
    if (status !== 200) return `${path} answers ${status}`;
  }
  const post = (path, body) => fetch(`${url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const made = await (await post('/projects', { provider: 'simulated', model: 'sim-thinker' })).json();
  const reply = await (await post(`/projects/${made.project.id}/chat`, { ref: 'main', message: 'hi' })).text();
  return reply.includes('"status":"complete"') ? null : `a turn ends with ${reply.slice(-300)}`;
}

let failed = false;
console.log(`seed ${seed}, ${total} requests over ${stores.join(', ')}`);
for (const [index, store] of stores.entries()) {
  const count = Math.ceil(total / stores.length);
  // One of them requires a token, so that this path is tested too.
  const token = index === 0 ? 'a-long-random-token-for-fuzzing' : null;
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-fuzz-'));
  const server = await start(store, token, dataDir);
  const started = performance.now();
  const report = await fuzz({
    baseUrl: server.url,
    token,
    seed: seed + index,
    count,
    onProgress: (sent) => {
      if (sent % 10_000 === 0) console.log(`  ${store}: ${sent}`);
    },
  });
  const seconds = (performance.now() - started) / 1_000;
  const ill = await illness(server, token);
  const resident = /VmHWM:\s+(\d+)/.exec(
    await readFile(`/proc/${server.child.pid}/status`, 'utf8').catch(() => ''),
  )?.[1];
  server.child.kill('SIGTERM');
  const code = await server.ended;
  await rm(dataDir, { recursive: true, force: true });
  const statuses = [...report.byStatus].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
  const inside = server.complaints.filter((line) => line.includes('request_failed'));
  console.log(
    `${store}: ${report.sent} requests, seed ${seed + index}, ${report.byRoute.size} routes, ${seconds.toFixed(0)} s, ` +
      `${report.failures.length} failures, ${inside.length} logged, peak memory ${Math.round(Number(resident ?? 0) / 1024)} MB, ended with ${code}`,
  );
  console.log(`  ${statuses.join('  ')}`);
  for (const line of [...report.failures, ...inside.slice(0, 20)]) console.log(`  ${line.slice(0, 4_000)}`);
  const others = server.complaints.filter(
    (line) => line.includes('"level":"error"') && !line.includes('request_failed'),
  );
  const kinds = new Map();
  for (const line of others) {
    const { event, what, message } = JSON.parse(line);
    const kind = `${event} ${what ?? ''} ${String(message).slice(0, 120)}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  for (const [kind, times] of kinds) console.log(`  ${times} × ${kind}`);
  if (ill !== null) console.log(`  NOT WELL: ${ill}`);
  failed ||= ill !== null || code !== 0 || report.failures.length > 0 || inside.length > 0;
}
process.exit(failed ? 1 : 0);
