import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { beginTurn, buildCall, buildNode, buildReply, idsOf, seedProject, seedTurn } from '../contract/build.ts';
import { bundleProgram } from '../contract/crash/program.ts';
import { snapshotProject } from '../contract/snapshot.ts';
import { openGitStore } from './index.ts';
import { readNote } from './meta/message.ts';
import { fsck, git, openStore, temporaryDirectory } from './testing/workplace.ts';

/**
 * Puts refs and files back to where they were before the last write, except `refs/bough/meta`: a crash right after that
 * moved.
 */
async function undoAllButMeta(directory: string): Promise<void> {
  const { moves } = readNote(git(directory, 'log', '-1', '--format=%B', 'refs/bough/meta'));
  for (const { ref, from } of moves) {
    if (from === null) git(directory, 'update-ref', '-d', ref);
    else git(directory, 'update-ref', ref, from);
  }
  await rm(join(directory, '.git/bough/summary.json'));
}

describe('GIT-10: a write that moves several refs', () => {
  test('GIT-10: has happened when refs/bough/meta has moved: opening completes it', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const { turn, user } = await beginTurn(store, project, branch, first.reply.id);
    const [reply, sibling] = [buildReply(project, user, 'one', { turnId: turn.id }), buildReply(project, user, 'two')];
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [reply, sibling],
      calls: [{ call: buildCall(turn, reply, { responseId: 'resp_2' }), raw: null }],
      renderings: [],
      tip: { branchId: branch.id, expected: user.id, next: reply.id },
      status: 'complete',
    });
    const before = await snapshotProject(store, project.id);
    await store.close();

    const directory = join(root, project.id);
    const locks = join(directory, '.git/rt-branch-config.json');
    const config = await readFile(locks, 'utf8');
    await writeFile(locks, config.replace('resp_2', 'resp_1'));
    await undoAllButMeta(directory);
    store = await openStore(root);
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
    expect(await readFile(locks, 'utf8')).toBe(config);
    await seedTurn(store, project, branch, reply.id);
    expect(fsck(directory)).toBe('');
  });

  test('GIT-10: moves refs/bough/meta before any other ref', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const seen = new Set<string>();
    for (const directory of ['refs/heads', 'refs/bough']) {
      const watcher = watch(join(root, project.id, '.git', directory), (_, name) => {
        if (name !== null && !name.endsWith('.lock')) seen.add(name);
      });
      onTestFinished(() => watcher.close());
    }
    await beginTurn(store, project, branch, null);
    await vi.waitFor(() => expect([...seen]).toStrictEqual(['meta', 'main']), { timeout: 30_000 });
  });

  test('GIT-10: nodes on several leaves arrive together', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const nodes = [buildNode(project, null, 'one'), buildNode(project, null, 'two'), buildNode(project, null, 'three')];
    const tip = { branchId: branch.id, expected: null, next: nodes[0]?.id ?? null };
    await store.appendNodes(project.id, nodes, tip);
    const before = await snapshotProject(store, project.id);
    await store.close();
    await undoAllButMeta(join(root, project.id));
    store = await openStore(root);
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
  });

  test('GIT-10: a ref that was moved by hand since is left where it is', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const { user } = await beginTurn(store, project, branch, first.reply.id);
    await store.close();
    // The write was complete; somebody moved the branch back afterwards.
    git(join(root, project.id), 'update-ref', 'refs/heads/main', 'main~1');
    store = await openStore(root);
    expect((await store.getBranch(project.id, 'main')).tipId).toBe(first.reply.id);
    await expect(store.findNode(user.id)).rejects.toMatchObject({ code: 'unknown_id' });
  });
});

describe('GIT-7: the lock file', () => {
  test('GIT-7: is what other programs read and write: it has the last word when a project is opened', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    await seedTurn(store, project, branch, null);
    await store.close();
    const path = join(root, project.id, '.git/rt-branch-config.json');
    const config = JSON.parse(await readFile(path, 'utf8')) as { version: number; branches: Record<string, object> };
    expect(config).toStrictEqual({
      version: 1,
      branches: { main: { provider: 'simulated', model: 'sim-1', previousResponseId: null, isHidden: false } },
    });
    const edited = { provider: 'gemini', model: 'gemini-9', previousResponseId: null, isHidden: true };
    await writeFile(path, JSON.stringify({ ...config, branches: { main: edited } }));
    store = await openStore(root);
    expect(await store.getBranch(project.id, 'main')).toStrictEqual({
      ...branch,
      tipId: expect.any(String),
      hidden: true,
      envelope: { ...branch.envelope, provider: 'gemini', model: 'gemini-9' },
    });
  });

  test('GIT-7: is restored from its copy in git where it is missing', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    await seedTurn(store, project, branch, null);
    await store.updateBranch(project.id, branch.id, { hidden: true });
    await store.close();
    const path = join(root, project.id, '.git/rt-branch-config.json');
    const before = await readFile(path, 'utf8');
    await rm(path);
    store = await openStore(root);
    expect(before).toContain('sim-1');
    expect((await store.getBranch(project.id, 'main')).hidden).toBe(true);
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});

describe('GIT-17: what a killed process leaves', () => {
  test('GIT-17: lock files of refs are removed', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    await store.close();
    const gitDir = join(root, project.id, '.git');
    for (const lock of ['refs/heads/main.lock', 'refs/bough/meta.lock', 'HEAD.lock', 'packed-refs.lock']) {
      await writeFile(join(gitDir, lock), '');
    }
    store = await openStore(root);
    await seedTurn(store, project, branch, null);
    await store.deleteBranch(project.id, branch.id);
    expect((await readdir(join(gitDir, 'refs/bough'))).filter((name) => name.endsWith('.lock'))).toStrictEqual([]);
  });

  test('GIT-17: projects that were half made or half removed are cleared away', async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, '.new-0123/.git/objects'), { recursive: true });
    await mkdir(join(root, '.gone-4567/.git'), { recursive: true });
    const store = await openStore(root);
    expect(await store.listProjects()).toStrictEqual([]);
    expect((await readdir(root)).filter((name) => !name.startsWith('.bough-'))).toStrictEqual([]);
  });

  test('GIT-8: the end of a log that a crash cut off is dropped, and the log goes on', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const { turn } = await beginTurn(store, project, branch, null);
    await store.appendLog(project.id, turn.id, [
      { seq: 1, data: 'one' },
      { seq: 2, data: 'two' },
    ]);
    await store.close();
    await appendFile(join(root, project.id, '.git/bough/log', `${turn.id}.jsonl`), '[[3,"thr');
    store = await openStore(root);
    await store.appendLog(project.id, turn.id, [{ seq: 3, data: 'three' }]);
    await store.close();
    store = await openStore(root);
    const entries = await store.readLog(project.id, turn.id, 0, 10);
    expect(entries.map(({ data }) => data)).toStrictEqual(['one', 'two', 'three']);
  });

  test('GIT-6: a lost or stale summary is made again', async () => {
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project } = await seedProject(store);
    await store.updateProject(project.id, { name: 'newer' });
    await store.close();
    for (const content of ['', '{"meta":"0000","project":{}}', 'null']) {
      await writeFile(join(root, project.id, '.git/bough/summary.json'), content);
      store = await openStore(root);
      expect((await store.listProjects()).map(({ name }) => name)).toStrictEqual(['newer']);
      await store.close();
    }
  });
});

describe('GIT-16: one process at a time', () => {
  test('GIT-16: a second opening is refused while the first lives, in this process and in another', async () => {
    const root = await temporaryDirectory();
    const program = await bundleProgram(new URL('./programs/hold.ts', import.meta.url));
    try {
      const child = spawn(process.execPath, [program.path, root], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      await once(child.stdout, 'data');
      await expect(openGitStore({ directory: root })).rejects.toMatchObject({
        code: 'store_locked',
        conflicting: String(child.pid),
      });
      child.kill('SIGKILL');
      await exited;
      const store = await openStore(root);
      await expect(openGitStore({ directory: root })).rejects.toMatchObject({ code: 'store_locked' });
      expect((await store.listProjects()).length).toBe(1);
    } finally {
      await program.dispose();
    }
  });

  test('GIT-16: a closed store says so, and leaves no process behind', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    await seedTurn(store, project, branch, null);
    await store.close();
    await store.close();
    await expect(store.getProject(project.id)).rejects.toMatchObject({ code: 'store_closed' });
    await expect(store.createProject(project)).rejects.toMatchObject({ code: 'store_closed' });
    const again = await openStore(root);
    expect(idsOf(await again.listProjects())).toStrictEqual([project.id]);
  });

  test('GIT-16: writers on one project that do not wait for each other all arrive', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project } = await seedProject(store);
    const nodes = Array.from({ length: 20 }, (_, index) => buildNode(project, null, `root ${index}`));
    await Promise.all(nodes.map((node) => store.appendNodes(project.id, [node])));
    expect(idsOf(await store.children(project.id, null))).toStrictEqual(idsOf(nodes));
    expect(fsck(join(root, project.id))).toBe('');
  });
});
