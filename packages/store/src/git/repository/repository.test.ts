import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { buildNode, buildReply, seedChain, seedProject, seedTurn } from '../../contract/build.ts';
import { snapshotProject } from '../../contract/snapshot.ts';
import { createObjectBatch } from '../objects/object-batch.ts';
import { objectId } from '../objects/object.ts';
import { appendBytes, EMPTY_TEXT, type PathText } from '../objects/path-text.ts';
import { foreignRepository } from '../testing/foreign.ts';
import { fsck, git, gitWithInput, openStore, placeFor, temporaryDirectory } from '../testing/workplace.ts';
import { createMaintenance } from './maintenance.ts';
import { packTexts } from './pack-texts.ts';
import { readRefs } from '../refs/read.ts';

const looseIn = (directory: string): number => Number(git(directory, 'count-objects').split(' ')[0]);
const packsIn = async (directory: string): Promise<number> =>
  (await readdir(join(directory, '.git/objects/pack'))).filter((name) => name.endsWith('.pack')).length;

/** For housekeeping that knows of no text: everything is left to git. */
const NO_TEXTS = { get: () => Promise.reject(new Error('no text is known')) };

describe('GIT-11: packing', () => {
  test('GIT-11: versions of a path are a few bytes each beside the last one, and git agrees', async () => {
    const directory = await temporaryDirectory();
    git(directory, 'init', '--quiet', '--bare', '.');
    const objects = createObjectBatch(directory);
    const known = new Map<string, PathText>();
    const grow = (text: PathText, begins: string | undefined, line: string): { text: PathText; oid: string } => {
      const longer = appendBytes(text, Buffer.from(`${line}\n`));
      const oid = objects.addText(longer, begins);
      known.set(oid, longer);
      return { text: longer, oid };
    };
    const empty = objects.addText(EMPTY_TEXT);
    let main = grow(EMPTY_TEXT, empty, 'a');
    for (let index = 0; index < 300; index += 1) main = grow(main.text, main.oid, `${index} ${'y'.repeat(index * 7)}`);
    // Longer than one delta instruction can copy.
    main = grow(main.text, main.oid, 'x'.repeat(17_000_000));
    const fork = grow(main.text, main.oid, 'one way');
    main = grow(main.text, main.oid, 'the other way');
    const alone = grow(EMPTY_TEXT, undefined, 'a path of its own');
    const { texts } = await objects.flush();
    expect(texts.length).toBe(306);
    await packTexts(directory, texts, async (oid) => known.get(oid) ?? EMPTY_TEXT);
    git(directory, 'prune-packed');
    expect(git(directory, 'count-objects', '-v')).toMatch(
      /^count: 0\n.*in-pack: 306\npacks: 1\nsize-pack: (\d{1,3})\n/s,
    );
    const [pack = ''] = (await readdir(join(directory, 'objects/pack'))).filter((name) => name.endsWith('.idx'));
    expect(git(directory, 'verify-pack', join(directory, 'objects/pack', pack))).toBe('');
    expect(git(directory, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress')).toBe('');
    for (const { oid } of [main, fork, alone]) expect(git(directory, 'cat-file', '-t', oid)).toBe('blob');
    expect(git(directory, 'cat-file', 'blob', alone.oid)).toBe('a path of its own');
  });

  test('GIT-11: texts that the store wrote are packed while it goes on', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const directory = join(root, project.id);
    const noise = randomBytes(3_000_000).toString('base64');
    const [first] = await seedChain(store, project, null, [noise]);
    await store.moveTip(project.id, branch.id, { expected: null, next: first?.id ?? null });
    let tip = first ?? null;
    for (let index = 0; index < 40; index += 1) {
      const node = buildNode(project, tip, `line ${index}`);
      await store.appendNodes(project.id, [node], { branchId: branch.id, expected: tip?.id ?? null, next: node.id });
      tip = node;
    }
    await vi.waitFor(async () => expect(await packsIn(directory)).toBeGreaterThan(0), { timeout: 20_000 });
    const before = await store.path(project.id, tip?.id ?? (project.id as never));
    await store.close();
    const again = await openStore(root);
    expect((await again.path(project.id, tip?.id ?? (project.id as never))).length).toBe(before.length);
    expect(fsck(directory)).toBe('');
  });

  test('GIT-11: versions of a path are packed to little more than one, while writing goes on', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const directory = join(root, project.id);
    let tip = null;
    const noise = (): string => Array.from({ length: 4000 }, () => Math.random().toString(36).slice(2, 8)).join(' ');
    for (let index = 0; index < 12; index += 1) {
      const node = buildReply(project, tip, noise());
      await store.appendNodes(project.id, [node], { branchId: branch.id, expected: tip?.id ?? null, next: node.id });
      tip = node;
    }
    const sizeOf = (key: string): number =>
      Number(new RegExp(`^${key}: (\\d+)`, 'm').exec(git(directory, 'count-objects', '-v'))?.[1]);
    const before = sizeOf('size');
    const maintenance = createMaintenance(await placeFor(join(directory, '.git')), NO_TEXTS);
    maintenance.wrote({ bytes: 2 ** 30, count: 0, texts: [] });
    const last = await seedTurn(store, project, branch, tip?.id ?? null);
    await maintenance.settled();
    await maintenance.close();
    expect(await packsIn(directory)).toBe(1);
    expect(sizeOf('size-pack')).toBeLessThan(before / 4);
    expect((await store.path(project.id, last.reply.id)).length).toBe(14);
    expect(fsck(directory)).toBe('');
  });

  test('GIT-11: what earlier processes left loose is packed too', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    await seedTurn(store, project, branch, null);
    const gitDir = join(root, project.id, '.git');
    // One of 256 directories is counted: a dozen objects there stand for thousands.
    const objects = createObjectBatch(gitDir);
    for (let found = 0, index = 0; found < 12; index += 1) {
      const content = Buffer.from(`object ${index}`);
      if (!objectId('blob', [content]).startsWith('17')) continue;
      objects.add('blob', content);
      found += 1;
    }
    await objects.flush();
    const maintenance = createMaintenance(await placeFor(gitDir), NO_TEXTS);
    maintenance.wrote({ bytes: 0, count: 1, texts: [] });
    await maintenance.settled();
    expect(await packsIn(join(root, project.id))).toBe(1);
  });

  test('GIT-11: many packs become one, and nothing that was written is lost', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const directory = join(root, project.id);
    let tip = null;
    for (let index = 0; index < 14; index += 1) {
      tip = (await seedTurn(store, project, branch, tip)).reply.id;
      const maintenance = createMaintenance(await placeFor(join(directory, '.git')), NO_TEXTS);
      maintenance.wrote({ bytes: 0, count: 1_000_000, texts: [] });
      await maintenance.settled();
    }
    const before = await snapshotProject(store, project.id);
    expect(await packsIn(directory)).toBeLessThan(4);
    expect(looseIn(directory)).toBeLessThan(60);
    await store.close();
    const again = await openStore(root);
    expect(await snapshotProject(again, project.id)).toStrictEqual(before);
    expect([...(await readRefs(join(directory, '.git'))).keys()]).toStrictEqual(['refs/bough/meta', 'refs/heads/main']);
  });
});

describe('GIT-28: sweeping', () => {
  /** An object that nothing points to any more, written a month ago. */
  async function oldRubbish(directory: string): Promise<string> {
    const oid = gitWithInput(directory, 'rubbish', 'hash-object', '-w', '--stdin');
    const month = new Date(Date.now() - 30 * 86_400_000);
    await utimes(join(directory, '.git/objects', oid.slice(0, 2), oid.slice(2)), month, month);
    return oid;
  }
  const has = (directory: string, oid: string): boolean =>
    spawnSync('git', ['-C', directory, 'cat-file', '-e', oid]).status === 0;

  async function sweep(directory: string): Promise<void> {
    const maintenance = createMaintenance(await placeFor(join(directory, '.git')), NO_TEXTS, {
      looseBytes: 1,
      looseObjects: 1,
      packs: 0,
    });
    maintenance.wrote({ bytes: 1, count: 1, texts: [] });
    await maintenance.settled();
  }

  test('GIT-28: of a repository that Bough alone uses, what nothing points to goes after two weeks', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const directory = join(root, project.id);
    const [old, young] = [
      await oldRubbish(directory),
      gitWithInput(directory, 'young', 'hash-object', '-w', '--stdin'),
    ];
    await seedTurn(store, project, branch, null);
    await sweep(directory);
    expect([has(directory, old), has(directory, young)]).toStrictEqual([false, true]);
    expect(fsck(directory)).toBe('');
  });

  test('GIT-28: of a repository with a work tree or logs of its refs nothing is dropped', async () => {
    const root = await temporaryDirectory();
    const directory = await foreignRepository(root);
    // Reachable only from the branch's log, only from the index, and from nothing.
    const left = git(directory, 'rev-parse', 'main');
    git(directory, 'reset', '--quiet', '--soft', 'main~1');
    await writeFile(join(directory, 'staged'), 'staged');
    git(directory, 'add', 'staged');
    const staged = git(directory, 'rev-parse', ':staged');
    const old = await oldRubbish(directory);
    const store = await openStore(root);
    expect((await store.listProjects()).length).toBe(1);
    // The second time they are already packed, and their pack is replaced.
    for (let time = 0; time < 2; time += 1) {
      await sweep(directory);
      for (const oid of [left, staged, old]) expect([oid, has(directory, oid)]).toStrictEqual([oid, true]);
    }
    expect(looseIn(directory)).toBe(0);
    expect(fsck(directory)).toBe('');
  });

  test('GIT-28: a HEAD that names a commit keeps it', async () => {
    const root = await temporaryDirectory();
    const directory = await foreignRepository(root);
    const head = git(directory, 'rev-parse', 'main');
    git(directory, 'checkout', '--quiet', '--detach', 'main');
    git(directory, 'branch', '--force', 'main', 'main~1');
    for (const name of ['logs', 'index']) await rm(join(directory, '.git', name), { recursive: true });
    const month = new Date(Date.now() - 30 * 86_400_000);
    await utimes(join(directory, '.git/objects', head.slice(0, 2), head.slice(2)), month, month);
    await sweep(directory);
    expect(has(directory, head)).toBe(true);
  });
});

describe('GIT-9: refs', () => {
  test('GIT-9: no ref is missed while git packs them', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project } = await seedProject(store);
    const nodes = Array.from({ length: 40 }, (_, index) => buildNode(project, null, `root ${index}`));
    await store.appendNodes(project.id, nodes);
    const gitDir = join(root, project.id, '.git');
    const expected = (await readRefs(gitDir)).size;
    for (let round = 0; round < 8; round += 1) {
      // Loose again, so that there is something to pack.
      const refs = await readRefs(gitDir);
      for (const [ref, oid] of refs) {
        await mkdir(dirname(join(gitDir, ref)), { recursive: true });
        await writeFile(join(gitDir, ref), `${oid}\n`);
      }
      const packing = promisify(execFile)('git', ['--git-dir', gitDir, 'pack-refs', '--all', '--prune']);
      const sizes: number[] = [];
      const done = new AbortController();
      const reading = (async () => {
        while (!done.signal.aborted) sizes.push((await readRefs(gitDir)).size);
      })();
      await packing;
      done.abort();
      await reading;
      expect(new Set(sizes)).toStrictEqual(new Set([expected]));
    }
  });

  test('GIT-9: loose, packed and symbolic refs are read as git reads them', async () => {
    const root = await temporaryDirectory();
    const store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const directory = join(root, project.id);
    const expected = (): Map<string, string> =>
      new Map(
        git(directory, 'for-each-ref', '--format=%(refname) %(objectname)')
          .split('\n')
          .map((line) => line.split(' ') as [string, string]),
      );
    git(directory, 'pack-refs', '--all');
    await seedTurn(store, project, branch, null);
    git(directory, 'tag', '-m', 'annotated', 'v1', 'main');
    expect(new Map(await readRefs(join(directory, '.git')))).toStrictEqual(expected());
    git(directory, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    expect(new Map(await readRefs(join(directory, '.git')))).toStrictEqual(expected());
  });
});
