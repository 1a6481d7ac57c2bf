import { spawn } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectId } from '@bough/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildProject, idsOf, seedTurn, buildBranch } from '../contract/build.ts';
import type { Program } from '../contract/crash/program.ts';
import { bundleProgram } from '../contract/crash/program.ts';
import { snapshotProject } from '../contract/snapshot.ts';
import { openFilesStore } from './index.ts';

let program: Program;
let directory = '';
beforeAll(async () => {
  program = await bundleProgram(new URL('./programs/attempts.ts', import.meta.url));
}, 60_000);
afterAll(() => program.dispose());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-disk-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Root may write anywhere, so the program runs as a user who may not. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

async function run(command: string, args: readonly string[], options: object = {}): Promise<string[]> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  return (await text(child.stdout)).trim().split('\n');
}

describe('a disk that does not take everything', () => {
  test('FS-7: a full disk is a clear error, and nothing is damaged or half there', async () => {
    // The system itself refuses to let a file grow beyond 200 blocks of 512 bytes.
    const sizes = ['100', '300000', '50000', '90000', '100'];
    const script = 'ulimit -f 200; exec "$0" "$@"';
    const store = join(directory, 'store');
    const outcomes = await run('/bin/sh', ['-c', script, process.execPath, program.path, store, ...sizes]);
    const stored = outcomes.flatMap((line) => {
      const [project, node] = line.split(' ');
      return node?.startsWith('node-') ? [{ project, node }] : [];
    });
    expect(outcomes[1]).toBe(`disk_full ${join(store, '.bough/journal/00000001.jsonl')}`);
    expect(stored.length).toBeGreaterThan(0);

    const opened = await openFilesStore({ directory: store });
    const project = projectId(stored[0]?.project ?? '');
    expect(idsOf(await opened.children(project, null))).toStrictEqual(stored.map(({ node }) => node));
    expect(opened.problems()).toStrictEqual([]);
    await opened.close();
  });

  test('FS-8: a directory that may not be written is a clear error, and stays as it is', async () => {
    const copied = join(directory, 'program.mjs');
    await copyFile(program.path, copied);
    const store = join(directory, 'store');
    await mkdir(store);
    await chmod(directory, 0o755);
    await chmod(store, 0o555);
    const outcomes = await run(process.execPath, [copied, store, '1'], { ...NOBODY, cwd: directory });
    expect(outcomes).toStrictEqual([`read_only ${join(store, '.bough/lock')}`]);
    expect(await readdir(store)).toStrictEqual([]);
  });
});

describe('a crash', () => {
  test('FS-6: a project that came, went and came again is there after a crash', async () => {
    const source = await openFilesStore({ directory: join(directory, 'source') });
    const project = buildProject();
    const branch = buildBranch(project);
    await source.createProject(project);
    await source.createBranch(branch);
    await seedTurn(source, project, branch, null);

    const store = await openFilesStore({ directory: join(directory, 'store') });
    await store.importProject(source.exportProject(project.id));
    await store.deleteProject(project.id);
    await store.importProject(source.exportProject(project.id));
    // What the disk holds now is what a crash would leave, lock and journal included.
    await cp(join(directory, 'store'), join(directory, 'crashed'), { recursive: true });
    await copyFile(join(directory, 'store.key'), join(directory, 'crashed.key'));
    await rm(join(directory, 'crashed/.bough/lock'));
    const crashed = await openFilesStore({ directory: join(directory, 'crashed') });
    expect(await snapshotProject(crashed, project.id)).toStrictEqual(await snapshotProject(source, project.id));
    for (const opened of [source, store, crashed]) await opened.close();
  });
});
