// Runs the store's contract behind a real PgBouncer, in transaction and in session mode. By hand, because PgBouncer is
// not among the packages: `apt-get install pgbouncer`, `npm run build`, then `node scripts/behind-pgbouncer.mjs`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinEmbeddedServer } from '../packages/store/dist/postgres/embedded/index.js';

const version = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
if (version.error !== undefined) {
  console.error('There is no pgbouncer here. Install it first, for example with: apt-get install pgbouncer');
  process.exit(2);
}
console.log(version.stdout.split('\n')[0]);

const directory = mkdtempSync(join(tmpdir(), 'bough-pgbouncer-'));
const server = await joinEmbeddedServer({ dataDir: join(directory, 'data') });
const connection = server.connection();
// Bough's own server has a password that is text.
const secret = String(connection.password);
const failed = [];
try {
  for (const mode of ['transaction', 'session']) {
    const bouncer = await startPgBouncer(mode);
    try {
      const { port } = bouncer;
      const url = `postgres://${connection.user}:${encodeURIComponent(secret)}@127.0.0.1:${port}/bough`;
      console.log(`pool_mode = ${mode}`);
      const more = process.argv.slice(2);
      const args = ['vitest', 'run', 'packages/store/src/postgres/store.test.ts', '-t', 'postgres, external', ...more];
      const tests = spawn('npx', args, { stdio: 'inherit', env: { ...process.env, TEST_DATABASE_URL: url } });
      const [code] = await once(tests, 'exit');
      if (code !== 0) failed.push(mode);
    } finally {
      bouncer.process.kill('SIGINT');
      await once(bouncer.process, 'exit');
    }
  }
} finally {
  await server.leave();
  rmSync(directory, { recursive: true, force: true });
}
if (failed.length > 0) {
  console.error(`Failed in mode: ${failed.join(', ')}`);
  process.exit(1);
}

async function startPgBouncer(mode) {
  const port = await freePort();
  const home = join(directory, mode);
  mkdirSync(home);
  const { user, host, port: upstream, database } = connection;
  writeFileSync(join(home, 'users.txt'), `"${user}" "${secret}"\n`);
  const settings = [
    '[databases]',
    `bough = host=${host} port=${upstream} dbname=${database} user=${user} password=${secret}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = plain`,
    `auth_file = ${join(home, 'users.txt')}\npool_mode = ${mode}\nmax_client_conn = 500`,
    // Fewer than the clients' connections, so that they really share them; in session mode each needs its own.
    `default_pool_size = ${mode === 'transaction' ? 5 : 80}`,
  ];
  writeFileSync(join(home, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
  // PgBouncer does not run as root, nor can another user look into a private directory.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [directory, home]) chmodSync(path, 0o755);
  const args = [...(isRoot ? ['-u', 'postgres'] : []), join(home, 'pgbouncer.ini')];
  const child = spawn('pgbouncer', ['-q', ...args], { stdio: 'inherit' });
  await sleep(1000);
  if (child.exitCode !== null) throw new Error('PgBouncer did not start.');
  return { process: child, port };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
