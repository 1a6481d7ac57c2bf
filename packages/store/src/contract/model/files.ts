import type { ContentBlock, TreeNode } from '@bough/core';
import { blobHash, blobsOf, isFileBlock } from '@bough/core';
import { createHash } from 'node:crypto';
import type { Store } from '../../store.ts';
import type { Operation } from './operations.ts';

// Files of random work: what one holds follows from its name, so that any process can put it, and any can check it.

/** From a few bytes to more than one piece. */
export function bytesOfFile(name: string): Buffer {
  const size = Number(/(\d+)$/.exec(name)?.[1] ?? 0) * 70_000 + name.length;
  return Buffer.alloc(size, `${name} `);
}

export function fileNamed(name: string): ContentBlock {
  const bytes = bytesOfFile(name);
  const hash = blobHash(createHash('sha256').update(bytes).digest('hex'));
  return { type: 'file', name, file: { hash, size: bytes.length, mediaType: 'text/plain' } };
}

/** Puts the files of an operation's nodes, as whoever writes a message does. */
export async function putFiles(store: Store, operation: Operation): Promise<void> {
  for (const block of nodesOf(operation).flatMap(({ contentBlocks }) => contentBlocks)) {
    if (!isFileBlock(block)) continue;
    const bytes = bytesOfFile(block.name);
    await store.blobs.put(inPieces(bytes), { limit: bytes.length });
  }
}

function nodesOf(operation: Operation): readonly TreeNode[] {
  switch (operation.type) {
    case 'appendNodes':
      return operation.nodes;
    case 'beginTurn':
      return operation.begin.nodes;
    case 'commitTurn':
      return operation.commit.nodes;
    case 'importProject':
      return operation.records.flatMap((record) => (record.type === 'node' ? [record.value] : []));
    default:
      return [];
  }
}

async function* inPieces(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 30_000)
    yield await Promise.resolve(bytes.subarray(start, start + 30_000));
}

/** The files of all nodes of a store that are not there whole, in words. Reading a whole file compares its hash. */
export async function brokenFiles(store: Store): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const project of await store.listProjects()) {
    const seen = new Set<string>();
    for await (const record of store.exportProject(project.id)) {
      for (const hash of record.type === 'node' ? blobsOf(record.value.contentBlocks) : []) {
        if (seen.has(hash)) continue;
        seen.add(hash);
        const trouble = await troubleWith(store, project.id, hash);
        if (trouble !== null) broken.push(`${project.id} ${hash}: ${trouble}`);
      }
    }
  }
  return broken;
}

async function troubleWith(store: Store, ...place: Parameters<Store['blobs']['read']>): Promise<string | null> {
  try {
    const read = await store.blobs.read(...place);
    if (read === undefined) return 'missing';
    let length = 0;
    for await (const piece of read.bytes) length += piece.length;
    return length === read.size ? null : 'cut off';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
