import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeId, RawResponse, TreeNode } from '@bough/core';
import { StoreError } from '../../errors.ts';
import type { NodeFile } from '../format/node-file.ts';
import { parseNodeFile, readNodeFile } from '../format/node-file.ts';
import { parseRaw, parseRenderings } from '../format/sidecars.ts';
import { eachOf } from '../../on-disk/disk/index.ts';
import type { ReadableBase } from '../state/base.ts';
import { projectOf } from '../state/base.ts';
import type { NodeEntry, ProjectState } from '../state/project-state.ts';
import { entryOf, idsOf } from '../state/project-state.ts';

/** Files that are read at once. */
export const READERS = 16;

/**
 * A node may be deleted, or restored, while it is read: its file is gone a moment before the node is, and the reader
 * waits that moment.
 */
const MOST_TRIES = 6;
const FIRST_WAIT_MS = 10;

export async function readNodeFileOf(
  base: ReadableBase,
  state: ProjectState,
  entry: NodeEntry,
  tries = MOST_TRIES,
): Promise<NodeFile> {
  const path = join(base.directory, entry.file);
  const text = await base.files.read(entry.file);
  if (text === null) {
    // Deleted while it was being read, with its project or alone.
    const current = projectOf(base, state.project.id);
    const again = entryOf(current, entry.id);
    if (tries > 1) {
      await sleep(FIRST_WAIT_MS * 2 ** (MOST_TRIES - tries));
      return readNodeFileOf(base, current, again, tries - 1);
    }
    throw new StoreError(
      'missing_file',
      path,
      `${path} has been removed while the store is open. Restore it, or open the store again.`,
    );
  }
  return parseNodeFile(path, text, idsOf(state));
}

export async function readNode(base: ReadableBase, state: ProjectState, entry: NodeEntry): Promise<TreeNode> {
  const file = await readNodeFileOf(base, state, entry);
  return readNodeFile(join(base.directory, entry.file), file, state.project.id).node;
}

/** In the order of the entries. */
export async function readNodes(
  base: ReadableBase,
  state: ProjectState,
  entries: readonly NodeEntry[],
): Promise<TreeNode[]> {
  const nodes = new Map<NodeEntry, TreeNode>();
  await eachOf(entries, READERS, async (entry) => {
    nodes.set(entry, await readNode(base, state, entry));
  });
  return entries.flatMap((entry) => nodes.get(entry) ?? []);
}

/** Null where none was kept, or where somebody removed it to save space: everything else works without it. */
export async function readRaw(base: ReadableBase, state: ProjectState, node: NodeId): Promise<RawResponse | null> {
  const file = state.rawFiles.get(node);
  return file === undefined ? null : readRawFile(base, file);
}

export async function readRawFile(base: ReadableBase, file: string): Promise<RawResponse | null> {
  const text = await base.files.readCompressed(file);
  return text === null ? null : parseRaw(join(base.directory, file), text);
}

export async function readRenderings(
  base: ReadableBase,
  state: ProjectState,
  node: NodeId,
): Promise<ReadonlyMap<string, string>> {
  const file = state.renderingFiles.get(node);
  const text = file === undefined ? null : await base.files.read(file);
  return file === undefined || text === null ? new Map() : parseRenderings(join(base.directory, file), text).renderings;
}
