import { isPlainObject } from '@bough/core';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import type { NodeFile } from './own-part.ts';
import { ownOf, withOwnPart } from './own-part.ts';

// Loom reads every node of a root or none: one id that does not begin with the root, or one block that it does not
// know, and the whole root looks empty to it. So a file has ids and a message that Loom accepts, and what Bough knows
// beyond that is in Bough's own part of it.

/** In a file a node's id is that of its root and the name of its file; in Bough it may be anything. */
export interface LoomIds {
  readonly toLoom: (id: string) => string;
  readonly fromLoom: (id: string) => string;
}

/** The file as it is written. */
export function toLoomForm(file: NodeFile, { toLoom }: LoomIds): NodeFile {
  const id = String(file['id']);
  const renamed: NodeFile = {
    ...file,
    id: toLoom(id),
    ...(typeof file['parent_id'] === 'string' ? { parent_id: parentOf(file, toLoom) } : {}),
    ...(Array.isArray(file['child_ids']) ? { child_ids: textsIn(file['child_ids']).map(toLoom) } : {}),
  };
  const own = ownOf(file);
  // What Loom wrote is Loom's: its message stays to the letter.
  const message = typeof own['order'] === 'number' && isPlainObject(file['message']) ? file['message'] : null;
  const shown = message === null ? null : loomMessageOf(message);
  const isShown = JSON.stringify(shown) === JSON.stringify(message);
  if (message === null) return renamed;
  const added = {
    of: renamed['id'],
    under: renamed['parent_id'],
    ...(renamed['id'] === id ? {} : { id }),
    ...(renamed['parent_id'] === file['parent_id'] ? {} : { parent: file['parent_id'] }),
    ...(isShown ? {} : { message }),
  };
  return withOwnPart({ ...renamed, message: shown }, { ...added, ...own });
}

/** The file as the rest of Bough sees it. */
export function fromLoomForm(file: NodeFile, { fromLoom }: LoomIds): NodeFile {
  const { of: _, id: __, parent, message, under, ...rest } = ownOf(file);
  // Loom put it below another node: the match key is that of the old place, also after Bough writes the file again.
  const isMoved = typeof under === 'string' && under !== file['parent_id'];
  const own = isMoved ? { ...rest, under } : rest;
  const renamed: NodeFile = {
    ...file,
    id: boughIdOf(file) ?? file['id'],
    ...(typeof file['parent_id'] === 'string' ? { parent_id: parentOf(file, fromLoom) } : {}),
    ...(Array.isArray(file['child_ids']) ? { child_ids: textsIn(file['child_ids']).map(fromLoom) } : {}),
  };
  // A parent that is gone has no file any more that would tell what Bough called it.
  const isGone =
    typeof parent === 'string' &&
    renamed['parent_id'] === file['parent_id'] &&
    file['parent_id'] === `${String(file['root_id'])}/${fileNameOf(parent)}`;
  return withOwnMessage(isGone && !isOfAnother(file) ? { ...renamed, parent_id: parent } : renamed, file, own, message);
}

function withOwnMessage(renamed: NodeFile, file: NodeFile, own: Own, message: unknown): NodeFile {
  if (isOfAnother(file)) return withOwnPart(renamed, {});
  if (ownOf(file)['of'] === undefined) return renamed;
  if (message === undefined) return withOwnPart(renamed, own);
  if (isPlainObject(message) && JSON.stringify(loomMessageOf(message)) === JSON.stringify(file['message']))
    return withOwnPart({ ...renamed, message }, own);
  // Somebody changed the message in Loom: what was derived from the old one no longer holds.
  const { content: _, matchKey: __, thinking: ___, madeWith: ____, toolCallId: _____, ...kept } = own;
  return withOwnPart(renamed, kept);
}

/** The id that Bough gave to the node in a file, if that is another than Loom's. */
export function boughIdOf(file: NodeFile): string | null {
  const { id } = ownOf(file);
  return typeof id === 'string' && !isOfAnother(file) ? id : null;
}

/** Loom copies Bough's part into the other half of a message that it splits; that half is another node. */
function isOfAnother(file: NodeFile): boolean {
  const { of } = ownOf(file);
  return of !== undefined && of !== file['id'];
}

type Own = Readonly<Record<string, unknown>>;

/** A node below the root names the root, which has no other name. */
function parentOf(file: NodeFile, rename: (id: string) => string): string {
  const parent = String(file['parent_id']);
  return parent === file['root_id'] ? parent : rename(parent);
}

const textsIn = (list: readonly unknown[]): readonly string[] => list.filter((one) => typeof one === 'string');

/** A message as far as Loom can read it: text and calls of tools, at least one of them, by a role that it knows. */
function loomMessageOf(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { content, tool_call_id: call } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const isTool = message['role'] === 'tool' && typeof call === 'string' && call.trim() !== '';
  const role = isTool ? 'tool' : message['role'] === 'assistant' ? 'assistant' : 'user';
  const shown = blocks.filter((block) => isShownText(block) || (role === 'assistant' && isShownCall(block)));
  return {
    role,
    content: shown.length > 0 ? shown : [{ type: 'text', text: standIn(blocks) }],
    ...(isTool ? { tool_call_id: call } : {}),
  };
}

const isShownText = (block: unknown): boolean =>
  isPlainObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' && block['text'].trim() !== '';

function isShownCall(block: unknown): boolean {
  if (!isPlainObject(block) || block['type'] !== 'tool-use') return false;
  const { id, name, parameters } = block;
  return [id, name].every((text) => typeof text === 'string' && text.trim() !== '') && isPlainObject(parameters);
}

/** Loom accepts no empty message. */
function standIn(blocks: readonly unknown[]): string {
  const kinds = blocks.flatMap((block) => (isPlainObject(block) && block['type'] !== 'text' ? [block] : []));
  const names = kinds.map(({ type, name }) => (typeof name === 'string' ? `${String(type)}: ${name}` : String(type)));
  return `[${names.length > 0 ? names.join(', ') : 'empty'}]`;
}
