import { createHash } from 'node:crypto';
import type { BranchId, CallId, NodeId, TurnId } from '@bough/core';
import { fileNameOf } from '../../on-disk/file-names/index.ts';

// Where things are in the tree of `refs/bough/meta`. Things made in sequence are kept together: a write changes only
// the newest directory of a kind, and every directory stays small.

export const META_REF = 'refs/bough/meta';
/** Paths that no branch ends on: regenerated replies, deleted branches. One ref per last node. */
export const LEAF_REFS = 'refs/bough/leaves/';
export const HEAD_REFS = 'refs/heads/';

export const leafRef = (node: NodeId): string => `${LEAF_REFS}${fileNameOf(node)}`;

export const PROJECT_FILE = 'project.json';
export const CONFIG_FILE = 'rt-branch-config.json';
export const THINKING_FILE = 'include-thinking.json';
/** The turns of nodes whose lines name none: lines are never rewritten. */
export const NODE_TURNS_FILE = 'node-turns.json';
export const BRANCHES = 'branches';
export const RUNNING = 'running';
export const TURNS = 'turns';
export const RENDERINGS = 'renderings';
/** The files of messages, by their hashes. */
export const BLOBS = 'blobs';
/** What people keep beside messages: one file per message. */
export const ANNOTATIONS = 'annotations';
/** What was deleted and can be restored (`trash/layout.ts`). */
export const TRASH = 'trash';

export const branchFile = (id: BranchId): string => `${BRANCHES}/${fileNameOf(id)}.json`;
export const annotationsFile = (node: NodeId): string => `${ANNOTATIONS}/${fileNameOf(node)}.json`;
export const runningFile = (id: TurnId): string => `${RUNNING}/${fileNameOf(id)}.json`;

/** How many numbers share a directory. */
const SHARD = 100;
const shardOf = (number: number): string => String(Math.floor(number / SHARD)).padStart(5, '0');
const padded = (number: number): string => String(number).padStart(7, '0');

/** A turn's directory, named so that a listing shows its id, its place in the order and the client's request. */
export interface TurnPlace {
  readonly number: number;
  /** The turn's id as a file name. */
  readonly key: string;
  readonly request: string | null;
}

export const turnKey = (id: TurnId): string => fileNameOf(id);
export const requestKey = (clientRequestId: string): string => digest(clientRequestId);

export function turnDirectory({ number, key, request }: TurnPlace): string {
  return `${TURNS}/${shardOf(number)}/${padded(number)}-${key}${request === null ? '' : `@${request}`}`;
}

export function parseTurnDirectory(name: string): TurnPlace | null {
  const match = /^(\d+)-([^@]+)(?:@([0-9a-f]+))?$/.exec(name);
  return match?.[2] === undefined ? null : { number: Number(match[1]), key: match[2], request: match[3] ?? null };
}

export const TURN_FILE = 'turn.json';
const CALL = '.call.json';
const RAW = '.raw.json';

export const callFile = (number: number, id: CallId): string => `${padded(number)}-${fileNameOf(id)}${CALL}`;
export const rawFileOf = (call: string): string => `${call.slice(0, -CALL.length)}${RAW}`;
export const isCallFile = (name: string): boolean => name.endsWith(CALL);
export const numberOfCallFile = (name: string): number => Number.parseInt(name, 10);

/** `order` is the node's place in the order of storage; nodes of old lines have no permanent one. */
export function renderingDirectory(node: NodeId, order: number): string {
  return order >= 0 ? `${RENDERINGS}/${shardOf(order)}` : `${RENDERINGS}/old-${digest(node).slice(0, 2)}`;
}

export const renderingFile = (node: NodeId, key: string): string => `${fileNameOf(node)}@${digest(key)}.json`;
export const isRenderingOf = (name: string, node: NodeId): boolean => name.startsWith(`${fileNameOf(node)}@`);

/** Text that may hold half a surrogate pair is hashed as JSON, which can express it. */
function digest(text: string): string {
  return createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 16);
}
