import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeId, projectId } from '@bough/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildNode, buildReply, seedTurn } from '../../contract/build.ts';
import { snapshotProject } from '../../contract/snapshot.ts';
import { heldBy } from '../../foreign.ts';
import { moveProject } from '../../move/index.ts';
import { reparented } from '../../reparented.ts';
import { verifyStore } from '../../verify/index.ts';
import type { FilesStore } from '../index.ts';
import { openFilesStore } from '../index.ts';
import { parseBookmarks } from '../format/bookmarks.ts';
import { loomDirectory, loomFiles, readAsLoom } from '../testing/loom.ts';

const ROOT = projectId('root-1');
const FORGOTTEN = projectId('root-7');
let directory = '';
let opened: FilesStore[] = [];
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'bough-loom-')), 'loom');
  await loomDirectory(directory);
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  await rm(join(directory, '..'), { recursive: true });
});

async function open(place = directory): Promise<FilesStore> {
  const store = await openFilesStore({ directory: place });
  opened.push(store);
  return store;
}

async function talk(store: FilesStore, root = ROOT) {
  const branch = await store.getBranch(root, 'main');
  return seedTurn(store, await store.getProject(root), branch, branch.tipId);
}

describe('after Bough has written, Loom goes on', () => {
  test('FS-35: it reads every node, also after thinking, tools, files and instructions', async () => {
    let store = await open();
    const { reply } = await talk(store);
    const project = await store.getProject(ROOT);
    const nodes = [
      buildReply(project, reply, '', { contentBlocks: [{ type: 'thinking', thinking: 'only this', signature: 's' }] }),
      buildReply(project, reply, '', { contentBlocks: [{ type: 'tool-use', id: '', name: 'x', parameters: {} }] }),
      buildReply(project, reply, '', {
        contentBlocks: [{ type: 'tool-use', id: 'c1', name: 'clock', parameters: { zone: 'UTC' } }],
      }),
      buildNode(project, reply, ' '),
      buildNode(project, reply, 'Speak French.', { role: 'system' }),
      buildNode(project, reply, '12:00', { role: 'tool', toolCallId: 'c1' }),
      buildNode(project, reply, 'nobody asked', { role: 'tool', toolCallId: null }),
      buildReply(project, reply, '', { contentBlocks: [] }),
    ];
    await store.appendNodes(ROOT, nodes);
    const before = await snapshotProject(store, ROOT);
    await store.close();
    const { [ROOT]: seen } = await readAsLoom(directory);
    expect(seen?.slice(0, 3)).toStrictEqual(['How tall is an oak?', 'Tall.', expect.any(String)]);
    expect(seen?.slice(-9, -1)).toStrictEqual([
      '[thinking]',
      '[tool-use: x]',
      '(call)',
      '[empty]',
      'Speak French.',
      '12:00',
      'nobody asked',
      '[empty]',
    ]);
    store = await open();
    // Nothing of that is lost to Bough.
    expect(await snapshotProject(store, ROOT)).toStrictEqual(before);
    expect(await store.findNode(reply.id)).toStrictEqual(reply);
  });

  test('FS-35: projects that Bough made are readable too, and what is deleted and restored', async () => {
    const store = await open();
    const { user, reply } = await talk(store, FORGOTTEN);
    await store.deleteNode(FORGOTTEN, user.id, 'cascade', { id: 'e1', deletedAt: '2026-01-01T00:00:00.000Z' });
    await store.restoreTrash('e1');
    await store.close();
    expect((await readAsLoom(directory))[FORGOTTEN]?.length).toBe(undefined);
    const again = await open();
    expect((await again.path(FORGOTTEN, reply.id)).map(({ id }) => id)).toStrictEqual([
      'root-7/node-1',
      user.id,
      reply.id,
    ]);
    await again.appendNodes(FORGOTTEN, [buildNode(await again.getProject(FORGOTTEN), null, 'at the root')]);
    await again.close();
    expect((await readAsLoom(directory))[FORGOTTEN]?.length).toBe(4);
  });

  test('FS-36: what Loom adds below a node of Bough, or changes in one, is read', async () => {
    const store = await open();
    const { user, reply } = await talk(store);
    await store.close();
    const path = join(directory, 'root-1/nodes', `${reply.id}.json`);
    const file = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown> & { metadata: object };
    const text = (words: string) => ({ role: 'assistant', content: [{ type: 'text', text: words }] });
    // Loom splits a message: the first half is a new node with a copy of everything, the second keeps the id.
    const half = { ...file, id: 'root-1/node-9', child_ids: [file['id']], message: text('Hal') };
    await writeFile(join(directory, 'root-1/nodes/node-9.json'), JSON.stringify(half));
    await writeFile(path, JSON.stringify({ ...file, parent_id: 'root-1/node-9', message: text('lo') }));
    const again = await open();
    const told = (await again.path(ROOT, reply.id)).slice(-3);
    expect(told.map(({ id, content }) => [id, content])).toStrictEqual([
      [user.id, user.content],
      ['root-1/node-9', 'Hal'],
      [reply.id, 'lo'],
    ]);
    expect(told.at(-1)?.thinking).toBeNull();
    const wrong = (await verifyStore(again)).findings.map(({ code, subject }) => `${code} ${subject}`);
    expect(wrong).not.toContain(`match_key_differs node ${reply.id}`);
    await again.close();
    // Loom deletes the message above a node of Bough's, which then stands below the one before.
    const asked = join(directory, 'root-1/nodes', `${user.id}.json`);
    const left = JSON.parse(await readFile(asked, 'utf8')) as Record<string, unknown>;
    await writeFile(asked, JSON.stringify({ ...left, parent_id: 'root-1/node-1' }));
    const moved = await open();
    const found = await moved.findNode(user.id);
    expect(found).toStrictEqual(reparented(user, nodeId('root-1/node-1')));
    expect(found?.matchKey).not.toBe(user.matchKey);
    await moved.setIncludeThinking(ROOT, user.id, true);
    await moved.close();
    expect((await (await open()).findNode(user.id))?.matchKey).toBe(found?.matchKey);
  });

  test('FS-36: files that earlier versions wrote, with Bough’s ids, are read as before', async () => {
    const store = await open();
    const { user, reply } = await talk(store);
    await store.close();
    for (const { id, parentId } of [user, reply]) {
      const path = join(directory, 'root-1/nodes', `${id}.json`);
      const file = JSON.parse(await readFile(path, 'utf8')) as { metadata: { custom_data: { bough: object } } };
      const {
        message,
        of: _,
        id: __,
        under: ___,
        ...own
      } = { message: undefined, of: 0, id: 0, under: '', ...file.metadata.custom_data.bough };
      const old = { ...file, id, parent_id: parentId, child_ids: id === user.id ? [reply.id] : [] };
      const metadata = { ...file.metadata, custom_data: { bough: own } };
      await writeFile(path, JSON.stringify({ ...old, metadata, ...(message === undefined ? {} : { message }) }));
    }
    expect((await (await open()).path(ROOT, reply.id)).slice(-2)).toStrictEqual([user, reply]);
  });
});

describe('what Loom keeps and Bough does not', () => {
  test('FS-37: a directory that the list of roots has forgotten is a project; reading changes nothing', async () => {
    const before = await loomFiles(directory);
    const store = await open();
    expect((await store.listProjects()).map(({ id, createdAt }) => [id, createdAt])).toStrictEqual([
      [ROOT, '2025-05-01T00:00:00.000Z'],
      [FORGOTTEN, '2025-05-01T00:00:01.000Z'],
    ]);
    expect(heldBy(await store.foreignDocuments(ROOT))).toStrictEqual({
      'list of tags': 1,
      'custom data of a message': 1,
      'parameters of a reply': 2,
      'token counts of a reply': 2,
      'split message': 1,
    });
    await store.close();
    expect(await loomFiles(directory)).toStrictEqual(before);
  });

  test('FS-38: a bookmark of Loom’s is one of Bough’s; nothing else of the configuration is looked at', async () => {
    const store = await open();
    const bookmark = { projectId: ROOT, nodeId: 'root-1/node-2', kind: 'bookmark', name: 'The "good" one', text: '' };
    const wanted = [{ ...bookmark, changedAt: '1970-01-01T00:00:00.000Z' }];
    expect(await store.annotations({})).toStrictEqual(wanted);
    expect((await store.listBranches(ROOT)).map(({ name }) => name)).toStrictEqual(['main']);
    await talk(store);
    await store.close();
    expect(await (await open()).annotations({ projectId: ROOT })).toStrictEqual(wanted);
    const found = parseBookmarks(
      `[[bookmarks]]\ntitle = 'it''s'\n[[ bookmarks ]] # x\ntitle = 'a"b'\nrootId="r"\nnodeId = "n\\u0041" # y\n[x]\ntitle="no"`,
    );
    expect(found).toStrictEqual([{ title: 'a"b', rootId: 'r', nodeId: 'nA', createdAt: '1970-01-01T00:00:00.000Z' }]);
  });

  test('FS-160: what Bough does with bookmarks is in Loom’s configuration, and no other letter of it changes', async () => {
    const path = join(directory, 'config.toml');
    const before = await readFile(path, 'utf8');
    await chmod(path, 0o640);
    const store = await open();
    const { reply } = await talk(store);
    const put = { projectId: ROOT, nodeId: reply.id, kind: 'bookmark', name: 'a "b" \\ \u007f', text: '' } as const;
    const changedAt = '2026-01-01T00:00:00.000Z';
    await store.annotate(ROOT, { put: [{ ...put, changedAt }], remove: [] });
    const now = await readFile(path, 'utf8');
    expect(now.startsWith(before.trimEnd())).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    const [, second] = parseBookmarks(now);
    expect(second).toStrictEqual({ title: put.name, rootId: ROOT, nodeId: `root-1/${reply.id}`, createdAt: changedAt });
    // Loom adds one meanwhile: it is kept, and the one that goes is the one that was meant.
    await writeFile(path, `${now}\n[[bookmarks]]\ntitle = "Loom’s"\nrootId = "root-1"\nnodeId = "root-1/node-1"\n`);
    await store.annotate(ROOT, {
      put: [],
      remove: [{ nodeId: nodeId('root-1/node-2'), kind: 'bookmark', name: 'The "good" one' }],
    });
    expect(parseBookmarks(await readFile(path, 'utf8')).map(({ title }) => title)).toStrictEqual([put.name, 'Loom’s']);
    expect(await readFile(path, 'utf8')).toContain('apiKey = "sk-not-for-bough"');
    // In the trash with its message, and back.
    await store.deleteNode(ROOT, reply.id, 'cascade', { id: 'e1', deletedAt: changedAt });
    expect(parseBookmarks(await readFile(path, 'utf8')).map(({ title }) => title)).toStrictEqual(['Loom’s']);
    await store.restoreTrash('e1');
    await store.close();
    const again = await open();
    expect((await again.annotations({})).map(({ name, nodeId: id }) => [name, id])).toStrictEqual([
      [put.name, reply.id],
      ['Loom’s', 'root-1/node-1'],
    ]);
    // No copy of the keys is anywhere else.
    expect(JSON.stringify(await loomFiles(directory))).not.toContain('sk-not-for-bough');
    await again.deleteProject(ROOT);
    expect(parseBookmarks(await readFile(path, 'utf8'))).toStrictEqual([]);
  });

  test('FS-161: an empty list of bookmarks gives way to tables; one that was written by hand is left alone', async () => {
    const path = join(directory, 'config.toml');
    await writeFile(path, 'bookmarks = [ ]\n\n[providers.openai]\napiKey = "sk-x"\n');
    const mark = {
      projectId: ROOT,
      nodeId: nodeId('root-1/node-2'),
      kind: 'bookmark',
      name: 'Here',
      text: '',
    } as const;
    const put = [{ ...mark, changedAt: '2026-01-01T00:00:00.000Z' }];
    let store = await open();
    await store.annotate(ROOT, { put, remove: [] });
    expect(await readFile(path, 'utf8')).toMatch(
      /^\n\[providers.openai\]\napiKey = "sk-x"\n\n\[\[bookmarks\]\]\ntitle = "Here"\n/,
    );
    await store.close();
    const byHand = 'bookmarks = [ { title = "t", rootId = "root-1", nodeId = "root-1/node-1" } ]\n';
    await writeFile(path, byHand);
    store = await open();
    await store.annotate(ROOT, { put, remove: [] });
    expect(await store.annotations({})).toStrictEqual(put);
    expect(await readFile(path, 'utf8')).toBe(byHand);
  });

  test('VE-141: a file of annotations that cannot be read is found, and nothing is written over it', async () => {
    let store = await open();
    const put = { projectId: ROOT, nodeId: nodeId('root-1/node-2'), kind: 'note', name: '', text: 'mine' } as const;
    await store.annotate(ROOT, { put: [{ ...put, changedAt: '2026-01-01T00:00:00.000Z' }], remove: [] });
    await store.close();
    const [name = ''] = await readdir(join(directory, 'root-1/bough/annotations'));
    const path = join(directory, 'root-1/bough/annotations', name);
    await writeFile(path, (await readFile(path, 'utf8')).replace('"note"', '"nothing"'));
    const broken = await readFile(path, 'utf8');
    store = await open();
    const { findings } = await verifyStore(store);
    expect(findings.map(({ code, subject }) => [code, subject])).toContainEqual(['unreadable', path]);
    await expect(store.annotate(ROOT, { put: [], remove: [{ ...put }] })).rejects.toThrow(path);
    expect(await readFile(path, 'utf8')).toBe(broken);
  });

  test('FS-39: goes elsewhere and comes back equal, file by file', async () => {
    const before = await loomFiles(directory);
    const [from, elsewhere] = [await open(), await open(join(directory, '../elsewhere'))];
    for (const root of [ROOT, FORGOTTEN]) await moveProject(from, elsewhere, root, { deleteSource: true });
    await from.close();
    expect(Object.keys(await loomFiles(directory))).toStrictEqual(['roots.json']);
    const { reply } = await talk(elsewhere, FORGOTTEN);
    const back = await open();
    for (const root of [ROOT, FORGOTTEN]) await moveProject(elsewhere, back, root);
    await back.close();
    const after = await loomFiles(directory);
    expect(after).toMatchObject({ ...before, 'root-7/nodes/node-1.json': {}, 'roots.json': [{ id: ROOT }, {}] });
    expect(JSON.stringify(after['root-1/nodes/node-2.json'])).toBe(JSON.stringify(before['root-1/nodes/node-2.json']));
    // Loom reads what was said elsewhere.
    expect((await readAsLoom(directory))[FORGOTTEN]?.[0]).toBe('I was forgotten');
    const again = await open();
    expect((await again.path(FORGOTTEN, reply.id)).length).toBe(3);
    // The keys of the messages in this test are made up.
    const { findings } = await verifyStore(again);
    expect(findings.filter(({ code }) => code !== 'match_key_differs')).toStrictEqual([]);
  });

  test('MV-20: a file that is nobody’s keeps its project where it is', async () => {
    await writeFile(join(directory, 'root-1/notes.txt'), 'mine');
    const [from, elsewhere] = [await open(), await open(join(directory, '../elsewhere'))];
    await expect(moveProject(from, elsewhere, ROOT, { deleteSource: true })).rejects.toMatchObject({
      code: 'not_kept',
      differences: ['root-1/notes.txt'],
    });
    expect((await from.getProject(ROOT)).id).toBe(ROOT);
    await moveProject(from, elsewhere, ROOT);
  });

  test('FS-39: what is no longer what Loom wrote is written as Bough has it', async () => {
    const [from, elsewhere] = [await open(), await open(join(directory, '../elsewhere'))];
    await moveProject(from, elsewhere, ROOT, { deleteSource: true });
    await elsewhere.setIncludeThinking(ROOT, nodeId('root-1/node-2'), true);
    await elsewhere.deleteNode(ROOT, nodeId('root-1/node-1'), 'reparent');
    const wanted = await snapshotProject(elsewhere, ROOT);
    await moveProject(elsewhere, from, ROOT);
    expect((await snapshotProject(from, ROOT)).records.filter(({ type }) => type !== 'foreign')).toStrictEqual(
      wanted.records.filter(({ type }) => type !== 'foreign'),
    );
    await from.close();
    expect((await readAsLoom(directory))[ROOT]).toStrictEqual(['Forty metres.', 'Tall.']);
  });
});
