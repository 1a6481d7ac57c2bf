import { createHash } from 'node:crypto';
import type { Project, TreeNode } from '@bough/core';
import { blobHash } from '@bough/core';
import { memoryInUse } from '@bough/testkit';
import { expect } from 'vitest';
import type { PutBlob, ReadBlob } from '../../blobs/index.ts';
import { PIECE_BYTES } from '../../blobs/index.ts';
import { withBlobs } from '../../blobs/copy.ts';
import type { Store } from '../../store.ts';
import {
  beginTurn,
  buildBranch,
  buildNode,
  buildReply,
  buildTurn,
  freshId,
  LONG_LEASE,
  seedProject,
  seedTurn,
} from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';

const MB = 1024 * 1024;
const FUTURE = '9999-01-01T00:00:00.000Z';
const PAST = '2001-01-01T00:00:00.000Z';

/** Bytes that differ everywhere and are the same in every run. */
function bytesOf(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

async function* inChunks(bytes: Uint8Array, size = 10_000): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const put = (store: Store, bytes: Uint8Array): Promise<PutBlob> => store.blobs.put(inChunks(bytes), { limit: 64 * MB });

/** What a blob holds, short enough for a message about a difference. */
const tell = (bytes: Uint8Array): string =>
  `${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;

async function whole(read: ReadBlob | undefined): Promise<string | undefined> {
  if (read === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of read.bytes) pieces.push(piece);
  return tell(Buffer.concat(pieces));
}

/** A message with files. */
export const withFiles = (
  project: Project,
  parent: Pick<TreeNode, 'id'> | null,
  ...files: readonly PutBlob[]
): TreeNode =>
  buildNode(project, parent, 'look at this', {
    contentBlocks: [
      { type: 'text', text: 'look at this' },
      ...files.map(({ hash, size }) => ({
        type: 'file' as const,
        name: 'notes.bin',
        file: { hash, size, mediaType: 'application/octet-stream' },
      })),
    ],
  });

const uniqueBytes = (length = 1000): Buffer => Buffer.concat([Buffer.from(freshId('blob')), bytesOf(length)]);
const ticket = () => ({ id: freshId('trash'), deletedAt: '2026-03-01T12:00:00.000Z' });

export function blobs(rule: Rule): void {
  rule('ST-100', 'what was put is read back to the byte, from any place on', async ({ store, reopen }) => {
    const contents = [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES].map((n) => bytesOf(n, n));
    const stored: PutBlob[] = [];
    for (const content of contents) {
      const blob = await put(store, content);
      expect(blob).toStrictEqual({ hash: createHash('sha256').update(content).digest('hex'), size: content.length });
      stored.push(blob);
    }
    const reopened = await reopen();
    for (const [at, content] of contents.entries()) {
      const { hash, size } = stored[at] ?? { hash: blobHash(''), size: -1 };
      for (const start of [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 7, size, size + 1]) {
        const read = await reopened.blobs.read(null, hash, start);
        expect(read?.size).toBe(size);
        expect(await whole(read), `from ${start}`).toBe(tell(content.subarray(start)));
      }
    }
  });

  rule('ST-100', 'the same of a project: what its nodes refer to', async ({ store, reopen }) => {
    const { project } = await seedProject(store);
    const content = bytesOf(2 * PIECE_BYTES + 5, 77);
    const file = await put(store, content);
    const empty = await put(store, Buffer.alloc(0));
    await store.appendNodes(project.id, [withFiles(project, null, file, empty)]);
    const { blobs } = await reopen();
    for (const start of [0, 1, PIECE_BYTES + 1, content.length]) {
      const read = await blobs.read(project.id, file.hash, start);
      expect(read?.size).toBe(content.length);
      expect(await whole(read)).toBe(tell(content.subarray(start)));
    }
    expect(await whole(await blobs.read(project.id, empty.hash))).toBe(tell(Buffer.alloc(0)));
  });

  rule('ST-102', 'equal bytes are one blob, whoever puts them, also at once', async ({ another }) => {
    const store = await another();
    const bytes = uniqueBytes(PIECE_BYTES * 2);
    const all = await Promise.all(Array.from({ length: 6 }, () => put(store, bytes)));
    const again = await put(store, bytes);
    for (const one of all) expect(one).toStrictEqual(again);
    expect(await store.blobs.sweep({ putBefore: FUTURE, dryRun: true })).toStrictEqual([again]);
    expect(await whole(await store.blobs.read(null, again.hash))).toBe(tell(bytes));
  });

  rule('ST-103', 'a project reads what its nodes refer to, and nothing else', async ({ store }) => {
    const { project } = await seedProject(store);
    const { project: other } = await seedProject(store);
    const [file, unsent] = [await put(store, uniqueBytes()), await put(store, uniqueBytes())];
    await store.appendNodes(project.id, [withFiles(project, null, file)]);
    const unknown = blobHash('0'.repeat(64));
    const strange = blobHash('../../../../etc/passwd');
    const all = [file.hash, unsent.hash, unknown, strange];
    expect(await store.blobs.has(project.id, all)).toStrictEqual(new Set([file.hash]));
    expect(await store.blobs.has(other.id, all)).toStrictEqual(new Set());
    expect(await store.blobs.has(null, all)).toStrictEqual(new Set([file.hash, unsent.hash]));
    expect(await store.blobs.read(other.id, file.hash)).toBeUndefined();
    expect(await store.blobs.read(project.id, unsent.hash)).toBeUndefined();
    expect(await store.blobs.read(project.id, unknown)).toBeUndefined();
    expect(await store.blobs.read(null, strange)).toBeUndefined();
    expect(await store.blobs.has(null, [])).toStrictEqual(new Set());
  });

  rule('ST-103', 'several projects share a file, and each reads it by itself', async ({ store }) => {
    const [{ project }, { project: other }] = [await seedProject(store), await seedProject(store)];
    const bytes = uniqueBytes();
    const file = await put(store, bytes);
    await store.appendNodes(project.id, [withFiles(project, null, file), withFiles(project, null, file)]);
    await store.appendNodes(other.id, [withFiles(other, null, file)]);
    await store.deleteProject(project.id);
    expect(await store.blobs.read(project.id, file.hash)).toBeUndefined();
    expect(await whole(await store.blobs.read(other.id, file.hash))).toBe(tell(bytes));
  });

  rule('ST-104', 'a file that is too large, or whose upload breaks off, leaves nothing', async ({ another }) => {
    const store = await another();
    const bytes = bytesOf(3 * PIECE_BYTES, 5);
    await expect(store.blobs.put(inChunks(bytes), { limit: bytes.length - 1 })).rejects.toMatchObject({
      code: 'blob_too_large',
    });
    async function* broken(): AsyncIterable<Uint8Array> {
      yield* inChunks(bytes);
      throw new Error('the client is gone');
    }
    await expect(store.blobs.put(broken(), { limit: 64 * MB })).rejects.toThrow('the client is gone');
    const hash = blobHash(createHash('sha256').update(bytes).digest('hex'));
    expect(await store.blobs.has(null, [hash])).toStrictEqual(new Set());
    expect(await store.blobs.sweep({ putBefore: FUTURE })).toStrictEqual([]);
    expect((await store.blobs.put(inChunks(bytes), { limit: bytes.length })).hash).toBe(hash);
  });

  rule('ST-105', 'a node whose file is missing is refused, and nothing changes', async ({ store, another }) => {
    const { project, branch } = await seedProject(store);
    const { project: other } = await seedProject(store);
    const first = await seedTurn(store, project, branch, null);
    const { turn, user } = await beginTurn(store, project, branch, first.reply.id);
    const there = await put(store, uniqueBytes());
    const missing = { hash: blobHash('ab'.repeat(32)), size: 3 };
    const before = await snapshotProject(store, project.id);
    const refused = { name: 'BlobError', code: 'blob_missing', hash: missing.hash };

    await expect(
      store.appendNodes(project.id, [withFiles(project, user, there), withFiles(project, user, missing)]),
    ).rejects.toMatchObject(refused);
    const reply = { ...withFiles(project, user, missing), turnId: turn.id };
    const commit = { projectId: project.id, turnId: turn.id, owner: 'owner-1', calls: [], renderings: [] };
    await expect(
      store.commitTurn({
        ...commit,
        nodes: [reply],
        tip: { branchId: branch.id, expected: user.id, next: reply.id },
        status: 'complete',
      }),
    ).rejects.toMatchObject(refused);
    for (const newBranch of [undefined, buildBranch(project)]) {
      const begun = buildTurn(project, newBranch ?? null);
      const node = { ...withFiles(project, first.reply, missing), turnId: begun.id };
      const tip = newBranch && { branchId: newBranch.id, expected: null, next: node.id };
      const begin = { turn: begun, owner: 'owner-2', leaseMs: LONG_LEASE, nodes: [node] };
      await expect(
        store.beginTurn({ ...begin, ...(tip && { tip }), ...(newBranch && { newBranch }) }),
      ).rejects.toMatchObject(refused);
    }
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
    expect(await store.blobs.has(project.id, [there.hash])).toStrictEqual(new Set());

    await store.appendNodes(other.id, [withFiles(other, null, there)]);
    const copy = await another();
    await expect(copy.importProject(store.exportProject(other.id))).rejects.toMatchObject({ code: 'blob_missing' });
    expect(await copy.listProjects()).toStrictEqual([]);
  });

  rule('ST-105', 'every way to store a node refers to its files', async ({ store, another }) => {
    const { project, branch } = await seedProject(store);
    const files = await Promise.all(Array.from({ length: 4 }, () => put(store, uniqueBytes())));
    const [one, two, three, four] = files;
    if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error('four');
    const root = withFiles(project, null, one);
    await store.appendNodes(project.id, [root], { branchId: branch.id, expected: null, next: root.id });
    const turn = buildTurn(project, branch);
    const user = { ...withFiles(project, root, two), turnId: turn.id };
    const owned = { owner: 'owner-1', leaseMs: LONG_LEASE };
    const tip = { branchId: branch.id, expected: root.id, next: user.id };
    await store.beginTurn({ turn, ...owned, nodes: [user], tip });
    const reply = buildReply(project, user, 'made a picture', {
      turnId: turn.id,
      contentBlocks: withFiles(project, null, three).contentBlocks,
    });
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [reply],
      calls: [],
      renderings: [],
      tip: { branchId: branch.id, expected: user.id, next: reply.id },
      status: 'complete',
    });
    const fork = buildBranch(project, { forkedFromId: root.id });
    const begun = buildTurn(project, fork);
    const asked = { ...withFiles(project, root, four), turnId: begun.id };
    const forkTip = { branchId: fork.id, expected: null, next: asked.id };
    await store.beginTurn({ turn: begun, ...owned, nodes: [asked], tip: forkTip, newBranch: fork });
    const hashes = files.map(({ hash }) => hash);
    expect(await store.blobs.has(project.id, hashes)).toStrictEqual(new Set(hashes));

    const copy = await another();
    const source = withBlobs(store.exportProject(project.id), (hash) => store.blobs.read(project.id, hash), copy.blobs);
    await copy.importProject(source);
    expect(await copy.blobs.has(project.id, hashes)).toStrictEqual(new Set(hashes));
    expect((await snapshotProject(copy, project.id)).records).toStrictEqual(
      (await snapshotProject(store, project.id)).records,
    );
    expect(await copy.blobs.sweep({ putBefore: FUTURE })).toHaveLength(copy.kind === 'git' ? 4 : 0);
    expect(await copy.blobs.has(project.id, hashes)).toStrictEqual(new Set(hashes));
  });

  rule('ST-106', 'a sweep removes what was put before a time and what nothing refers to', async ({ another }) => {
    const store = await another();
    const { project } = await seedProject(store);
    const bytes = uniqueBytes();
    const [used, unused] = [await put(store, bytes), await put(store, uniqueBytes())];
    const node = withFiles(project, null, used);
    await store.appendNodes(project.id, [node, withFiles(project, node, used)]);
    expect(await store.blobs.sweep({ putBefore: PAST })).toStrictEqual([]);
    expect(await store.blobs.has(null, [used.hash, unused.hash])).toStrictEqual(new Set([used.hash, unused.hash]));
    expect(await store.blobs.sweep({ putBefore: FUTURE, dryRun: true })).toContainEqual(unused);
    expect(await store.blobs.sweep({ putBefore: FUTURE })).toContainEqual(unused);
    expect(await store.blobs.read(null, unused.hash)).toBeUndefined();
    expect(await whole(await store.blobs.read(project.id, used.hash))).toBe(tell(bytes));
    // One of two nodes goes; the other still refers to it. A new one may, too, because the project does.
    await store.deleteNode(project.id, node.id, 'reparent');
    await store.blobs.sweep({ putBefore: FUTURE });
    await store.appendNodes(project.id, [withFiles(project, null, used)]);
    expect(await whole(await store.blobs.read(project.id, used.hash))).toBe(tell(bytes));
    for (const { id } of await store.children(project.id, null)) await store.deleteNode(project.id, id, 'cascade');
    await store.blobs.sweep({ putBefore: FUTURE });
    expect(await store.blobs.has(project.id, [used.hash])).toStrictEqual(new Set());
    await expect(store.appendNodes(project.id, [withFiles(project, null, used)])).rejects.toMatchObject({
      code: 'blob_missing',
    });
  });

  rule('ST-107', 'what lies in the trash keeps its files until it is purged', async ({ another }) => {
    const store = await another();
    const { project } = await seedProject(store);
    const { project: second } = await seedProject(store);
    const [bytes, other] = [uniqueBytes(), uniqueBytes()];
    const [file, ofProject] = [await put(store, bytes), await put(store, other)];
    const node = withFiles(project, null, file);
    const twin = withFiles(project, null, file);
    await store.appendNodes(project.id, [node, twin]);
    await store.appendNodes(second.id, [withFiles(second, null, ofProject)]);
    const [one, two, three] = [ticket(), ticket(), ticket()];
    await store.deleteNode(project.id, node.id, 'cascade', one);
    await store.deleteNode(project.id, twin.id, 'cascade', two);
    await store.deleteProject(second.id, three);
    await store.blobs.sweep({ putBefore: FUTURE });
    expect(await store.blobs.read(project.id, file.hash)).toBeUndefined();
    expect(await store.blobs.read(second.id, ofProject.hash)).toBeUndefined();

    await store.restoreTrash(one.id);
    await store.restoreTrash(three.id);
    expect(await whole(await store.blobs.read(project.id, file.hash))).toBe(tell(bytes));
    expect(await whole(await store.blobs.read(second.id, ofProject.hash))).toBe(tell(other));
    // The entry of the other one is purged: the restored one still refers.
    await store.purgeTrash({ id: two.id });
    await store.blobs.sweep({ putBefore: FUTURE });
    expect(await whole(await store.blobs.read(project.id, file.hash))).toBe(tell(bytes));

    const [again, projectAgain] = [ticket(), ticket()];
    await store.deleteNode(project.id, node.id, 'cascade', again);
    await store.deleteProject(second.id, projectAgain);
    await store.purgeTrash({});
    await store.blobs.sweep({ putBefore: FUTURE });
    expect(await store.blobs.sweep({ putBefore: FUTURE, dryRun: true })).toStrictEqual([]);
    expect(await store.blobs.has(null, [file.hash, ofProject.hash])).toStrictEqual(new Set());
    for (const hash of [file.hash, ofProject.hash])
      await expect(store.appendNodes(project.id, [withFiles(project, null, { hash, size: 1 })])).rejects.toMatchObject({
        code: 'blob_missing',
      });
  });

  rule('ST-108', 'a file that is put, referred to and swept at once is whole or refused', async ({ another }) => {
    const store = await another();
    const { project } = await seedProject(store);
    for (let round = 0; round < 8; round += 1) {
      const bytes = uniqueBytes(PIECE_BYTES + round);
      const { hash } = await put(store, bytes);
      const node = withFiles(project, null, { hash, size: bytes.length });
      const [stored] = await Promise.allSettled([
        store.appendNodes(project.id, [node]),
        store.blobs.sweep({ putBefore: FUTURE }),
        store.blobs.sweep({ putBefore: FUTURE }),
      ]);
      if (stored.status === 'rejected') expect(stored.reason).toMatchObject({ code: 'blob_missing' });
      const read = await store.blobs.read(project.id, hash);
      expect(await whole(read)).toBe(stored.status === 'fulfilled' ? tell(bytes) : undefined);
    }
    // Whoever puts something while it is removed has put it: a sweep of what is older leaves it alone.
    for (let round = 0; round < 8; round += 1) {
      const bytes = uniqueBytes(PIECE_BYTES + round);
      const { hash } = await put(store, bytes);
      const now = new Date().toISOString();
      await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all([
        store.blobs.sweep({ putBefore: now }),
        put(store, bytes),
        store.blobs.sweep({ putBefore: now }),
        put(store, bytes),
      ]);
      expect(await whole(await store.blobs.read(null, hash))).toBe(tell(bytes));
      const node = withFiles(project, null, { hash, size: bytes.length });
      await store.appendNodes(project.id, [node]);
      expect(await whole(await store.blobs.read(project.id, hash))).toBe(tell(bytes));
    }
  });
}

export function largeBlobs(rule: Rule): void {
  rule('ST-101', 'a large file passes through in pieces: the memory does not grow with it', async ({ store }) => {
    const { project } = await seedProject(store);
    const chunk = bytesOf(MB);
    let most = 0;
    const before = memoryInUse();
    const watch = (megabytes: number): void => {
      if (megabytes % 8 === 0) most = Math.max(most, memoryInUse() - before);
    };
    const sha256 = createHash('sha256');
    async function* large(): AsyncIterable<Uint8Array> {
      for (let count = 0; count < 64; count += 1) {
        chunk.writeUInt32LE(count, 0);
        sha256.update(chunk);
        watch(count);
        yield chunk;
      }
    }
    const file = await store.blobs.put(large(), { limit: 64 * MB });
    expect(file).toStrictEqual({ hash: sha256.digest('hex'), size: 64 * MB });
    await store.appendNodes(project.id, [withFiles(project, null, file)]);
    const read = await store.blobs.read(project.id, file.hash);
    let length = 0;
    for await (const piece of read?.bytes ?? []) {
      const megabytes = Math.floor((length + piece.length) / MB);
      if (megabytes > Math.floor(length / MB)) watch(megabytes);
      length += piece.length;
    }
    expect(length).toBe(64 * MB);
    // About 1; kept whole it would be 64 at least, and other work of the process takes some, too.
    expect(most / MB).toBeLessThan(16);
  });
}
