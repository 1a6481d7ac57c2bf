import type { NodeId, ProjectId } from '@bough/core';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import { OWN_DIRECTORY } from '../journal/index.ts';

// Where things are, relative to the store. Loom's files are where Loom expects them; Bough's are in directories that
// Loom never looks into.

const TAKEN = new Set(['roots.json', 'config.toml', OWN_DIRECTORY]);

export function directoryOf(project: ProjectId): string {
  const name = fileNameOf(project);
  return TAKEN.has(name) ? withHash(name, project) : name;
}

/** Loom's ids repeat the root: `root-1/node-7` is in `root-1/nodes/node-7.json`. */
export function nodeFileOf(
  directory: string,
  project: ProjectId,
  node: NodeId,
  isTaken: (file: string) => boolean,
): string {
  const prefix = `${project}/`;
  const name = fileNameOf(node.startsWith(prefix) && node.length > prefix.length ? node.slice(prefix.length) : node);
  const file = `${directory}/nodes/${name}.json`;
  return isTaken(file) ? `${directory}/nodes/${withHash(name, node)}.json` : file;
}

/** What Loom calls the node in a file. */
export const loomIdOf = (project: ProjectId, file: string): string => `${project}/${basename(file, '.json')}`;

export const projectFile = (directory: string): string => `${directory}/bough/project.json`;
export const branchFile = (directory: string, branch: string): string =>
  `${directory}/bough/branches/${fileNameOf(branch)}.json`;
export const turnFile = (directory: string, turn: string): string =>
  `${directory}/bough/turns/${fileNameOf(turn)}.json`;
export const logFile = (directory: string, turn: string): string => `${directory}/bough/logs/${fileNameOf(turn)}.jsonl`;
export const rawFile = (directory: string, call: string): string =>
  `${directory}/bough/raw/${fileNameOf(call)}.json.gz`;
export const renderingsFile = (directory: string, node: string): string =>
  `${directory}/bough/renderings/${fileNameOf(node)}.json`;

export const annotationsFile = (directory: string, node: string): string =>
  `${directory}/bough/annotations/${fileNameOf(node)}.json`;

function withHash(name: string, id: string): string {
  return `${name.slice(0, 150)}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}
