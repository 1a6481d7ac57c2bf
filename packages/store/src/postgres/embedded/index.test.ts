import { chmod, mkdir, mkdtemp, readFile, readdir, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Program } from '../../contract/crash/program.ts';
import type { Member } from '../testing/member.ts';
import { startMember } from '../testing/member.ts';
import { bundleStandalone } from '../testing/standalone.ts';
import { findBinaryPackage } from './binaries.ts';
import type { EmbeddedServer } from './index.ts';
import { joinEmbeddedServer } from './index.ts';
import { isAlive, readPostmaster } from './postmaster.ts';

// A cluster that most tests use in turn: only its server is started and stopped.
let dataDir: string;
let cluster: string;
let program: Program;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-embedded-'));
  cluster = join(dataDir, 'postgres', 'cluster');
  program = await bundleStandalone(new URL('../programs/member.ts', import.meta.url));
});

afterAll(async () => {
  await program.dispose();
  await rm(dataDir, { recursive: true, force: true });
});

async function joinForTest(directory = dataDir): Promise<EmbeddedServer> {
  const server = await joinEmbeddedServer({ dataDir: directory });
  onTestFinished(server.leave);
  return server;
}

async function member(directory = dataDir): Promise<Member> {
  const started = await startMember(program.path, [directory, findBinaryPackage()]);
  onTestFinished(() => started.kill('SIGKILL'));
  return started;
}

async function freshDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-embedded-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function query(connection: pg.ClientConfig, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const serverPid = async (): Promise<number> => (await readPostmaster(cluster))?.pid ?? 0;

test('PG-1: the cluster and its socket are private, a password is asked for, and nothing listens on the network', async () => {
  const server = await joinForTest();
  expect(await modeOf(cluster)).toBe(0o700);
  const connection = server.connection();
  expect(connection.host).toBe(join(dataDir, 'postgres', 'socket'));
  expect(await modeOf(connection.host ?? '')).toBe(0o700);
  const settings = await query(connection, `SELECT name, setting FROM pg_settings WHERE name IN ('listen_addresses')`);
  expect(settings).toStrictEqual([{ name: 'listen_addresses', setting: '' }]);
  await expect(query({ ...connection, password: 'guess' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
});

test.runIf(process.platform === 'linux')('PG-1: no process of the server holds what Bough runs with', async () => {
  vi.stubEnv('BOUGH_TOKEN', 'a-secret');
  vi.stubEnv('ANTHROPIC_API_KEY', 'a-secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await joinForTest(await freshDirectory());
  await query(server.connection(), 'SELECT 1');
  const here = await realpath(join(server.home, 'cluster'));
  const environments: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    if (cwd === here) environments.push(await readFile(`/proc/${pid}/environ`, 'utf8'));
  }
  expect(environments.length).toBeGreaterThan(1);
  for (const environment of environments) expect(environment).not.toContain('a-secret');
});

test('PG-1: nothing that durability depends on is switched off', async () => {
  const server = await joinForTest();
  const names = ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums'];
  const rows = await query(
    server.connection(),
    `SELECT name, setting FROM pg_settings WHERE name = ANY('{${names.join(',')}}')`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toStrictEqual(
    Object.fromEntries(names.map((name) => [name, 'on'])),
  );
});

test('PG-2: where the path of the socket would be too long, a loopback port is used, with the password', async () => {
  const deep = join(await freshDirectory(), 'a'.repeat(100));
  const server = await joinForTest(deep);
  const connection = server.connection();
  expect(connection.host).toBe('127.0.0.1');
  expect(await query(connection, 'SELECT 1 AS one')).toStrictEqual([{ one: 1 }]);
  await expect(query({ ...connection, password: 'guess' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  const rows = await query(connection, `SELECT setting FROM pg_settings WHERE name = 'listen_addresses'`);
  expect(rows).toStrictEqual([{ setting: '127.0.0.1' }]);
});

test('PG-5: processes share a server; the last one to leave stops it', async () => {
  const server = await joinForTest();
  const other = await member();
  expect(other.postmaster).toBe(await serverPid());
  await server.leave();
  expect(isAlive(other.postmaster)).toBe(true);
  await other.leave();
  expect(await readPostmaster(cluster)).toBeNull();
});

test('PG-5: processes that start together on an empty directory make one cluster and one server', async () => {
  const directory = await freshDirectory();
  const members = await Promise.all([member(directory), member(directory), member(directory)]);
  expect(new Set(members.map(({ postmaster }) => postmaster)).size).toBe(1);
  expect((await readdir(join(directory, 'postgres'))).filter((name) => name.startsWith('cluster'))).toStrictEqual([
    'cluster',
  ]);
  await Promise.all(members.map(({ leave }) => leave()));
  expect(await readPostmaster(join(directory, 'postgres', 'cluster'))).toBeNull();
});

test('PG-6: a server whose Bough was killed goes on, is found again, and is stopped by the one that found it', async () => {
  const killed = await member();
  await killed.kill('SIGKILL');
  expect(isAlive(killed.postmaster)).toBe(true);
  const server = await joinForTest();
  expect(await serverPid()).toBe(killed.postmaster);
  await server.leave();
  expect(await readPostmaster(cluster)).toBeNull();
});

test('PG-6: a server that is killed under a running Bough is started again, and nothing committed is lost', async () => {
  const server = await joinForTest();
  await query(server.connection(), 'CREATE TABLE kept (n integer)');
  for (let round = 0; round < 2; round += 1) {
    await query(server.connection(), `INSERT INTO kept VALUES (${round})`);
    const before = await serverPid();
    process.kill(before, 'SIGKILL');
    await vi.waitFor(async () => expect(await serverPid()).not.toBe(before), { timeout: 20_000 });
    const rows = await vi.waitFor(() => query(server.connection(), 'SELECT n FROM kept ORDER BY n'), {
      timeout: 20_000,
    });
    expect(rows.length).toBe(round + 1);
    expect(server.trouble()).toBeNull();
  }
});

test('PG-6: lock files that name another living process do not keep the server from starting', async () => {
  await (await joinForTest()).leave();
  // What a crash leaves in a container where process ids start over: a dead server's file with the id of a live
  // process.
  const socket = join(dataDir, 'postgres', 'socket');
  const stale = [process.pid, cluster, 1_700_000_000, 5432, socket, '', '  1234567         1', 'ready   '].join('\n');
  await writeFile(join(cluster, 'postmaster.pid'), `${stale}\n`);
  await writeFile(join(socket, '.s.PGSQL.5432.lock'), `${stale}\n`);
  const server = await joinForTest();
  expect(await query(server.connection(), 'SELECT 1 AS one')).toStrictEqual([{ one: 1 }]);
  expect(await serverPid()).not.toBe(process.pid);
});

test('PG-6: a server whose number means nothing here but whose socket answers is used, and not stopped', async () => {
  const server = await joinForTest();
  const pid = await serverPid();
  const file = join(cluster, 'postmaster.pid');
  const text = await readFile(file, 'utf8');
  // As seen from another container that shares the directory. No process id is this large.
  await writeFile(file, text.replace(/^\d+/, '999999999'));
  const other = await joinEmbeddedServer({ dataDir });
  expect(await query(other.connection(), 'SELECT 1 AS one')).toStrictEqual([{ one: 1 }]);
  await Promise.all([server.leave(), other.leave()]);
  expect(isAlive(pid)).toBe(true);
  await writeFile(file, text);
  await (await joinForTest()).leave();
  expect(await readPostmaster(cluster)).toBeNull();
});

test('PG-6: a cluster that vanishes under a running Bough does not come back empty', async () => {
  const directory = await freshDirectory();
  const server = await joinForTest(directory);
  const own = join(server.home, 'cluster');
  const pid = (await readPostmaster(own))?.pid ?? 0;
  await rm(own, { recursive: true });
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(server.trouble()).toMatchObject({ code: 'embedded_failed' }), { timeout: 20_000 });
  expect(await readdir(server.home)).not.toContain('cluster');
});

test('PG-9: Ctrl-C in the terminal of Bough does not reach the server', async () => {
  const interrupted = await member();
  // To the whole process group, as a terminal sends it.
  await interrupted.kill('SIGINT', 'group');
  expect(await serverPid()).toBe(interrupted.postmaster);
  expect(isAlive(interrupted.postmaster)).toBe(true);
  const server = await joinForTest();
  expect(await query(server.connection(), 'SELECT 1 AS one')).toStrictEqual([{ one: 1 }]);
  expect(await serverPid()).toBe(interrupted.postmaster);
});

test('PG-7: a cluster is whole or not there: what a killed process left of one is removed', async () => {
  const directory = await freshDirectory();
  // No process id is this large.
  const abandoned = join(directory, 'postgres', 'cluster.999999999.0badcafe');
  await mkdir(abandoned, { recursive: true });
  await writeFile(join(abandoned, 'PG_VERSION'), '18\n');
  const server = await joinForTest(directory);
  expect(await readdir(join(directory, 'postgres'))).not.toContain('cluster.999999999.0badcafe');
  expect(await query(server.connection(), 'SELECT 1 AS one')).toStrictEqual([{ one: 1 }]);
});

test('PG-27: a cluster that an earlier version nested one folder deeper is used where it lies', async () => {
  const directory = await freshDirectory();
  const earlier = await joinEmbeddedServer({ dataDir: join(directory, 'postgres') });
  await query(earlier.connection(), 'CREATE TABLE kept AS SELECT 42 AS answer');
  await earlier.leave();

  const server = await joinForTest(directory);
  expect(await query(server.connection(), 'SELECT answer FROM kept')).toStrictEqual([{ answer: 42 }]);
  expect(server.home).toBe(join(directory, 'postgres', 'postgres'));
  expect(await readdir(join(directory, 'postgres'))).toStrictEqual(['postgres']);
});

test('PG-27: a cluster in its own place is used, whatever lies one folder deeper', async () => {
  await (await joinEmbeddedServer({ dataDir })).leave();
  const nested = join(dataDir, 'postgres', 'postgres');
  await mkdir(join(nested, 'cluster'), { recursive: true });
  onTestFinished(() => rm(nested, { recursive: true }));
  const server = await joinForTest();
  expect(server.home).toBe(join(dataDir, 'postgres'));
});

test('PG-8: a cluster of another version is left alone, with a message that says so', async () => {
  await (await joinForTest()).leave();
  await writeFile(join(cluster, 'PG_VERSION'), '12\n');
  onTestFinished(() => writeFile(join(cluster, 'PG_VERSION'), '18\n'));
  await expect(joinEmbeddedServer({ dataDir })).rejects.toMatchObject({ code: 'cluster_version' });
});

test('PG-8: a path that is a file is told as such', async () => {
  const file = join(await freshDirectory(), 'file');
  await writeFile(file, '');
  await expect(joinEmbeddedServer({ dataDir: file })).rejects.toMatchObject({ code: 'data_dir_not_a_directory' });
});

test('PG-8: a damaged configuration is told with the end of the log', async () => {
  await (await joinForTest()).leave();
  const file = join(cluster, 'postgresql.auto.conf');
  await chmod(file, 0o600);
  await writeFile(file, 'nonsense = on\n');
  onTestFinished(() => writeFile(file, ''));
  const failure = joinEmbeddedServer({ dataDir });
  await expect(failure).rejects.toMatchObject({ code: 'embedded_failed' });
  await expect(failure).rejects.toThrow(/unrecognized configuration parameter "nonsense"/);
});
