import { join } from 'node:path';
import { isPlainObject } from '@bough/core';
import type { ForeignDocument } from '../../foreign.ts';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import { malformed } from '../../on-disk/disk/index.ts';
import { parseJson } from '../format/fields.ts';
import type { ReadableBase } from '../state/base.ts';
import type { ProjectState } from '../state/project-state.ts';

// Documents of other programs, one readable file each, in a directory that Loom never looks into.

export const foreignDirectory = (directory: string): string => `${directory}/bough/foreign`;

export const foreignFile = (directory: string, name: string): string =>
  `${foreignDirectory(directory)}/${fileNameOf(name)}.json`;

export function foreignText({ name, holds, value }: ForeignDocument): string {
  return `${JSON.stringify({ name, holds, value })}\n`;
}

export async function storedDocuments(base: ReadableBase, state: ProjectState): Promise<readonly ForeignDocument[]> {
  const found: ForeignDocument[] = [];
  for (const file of state.foreign) {
    const text = await base.files.read(file);
    if (text !== null) found.push(parseForeign(join(base.directory, file), text, state));
  }
  return found;
}

function parseForeign(path: string, text: string, { project }: ProjectState): ForeignDocument {
  const value = parseJson(path, text);
  if (!isPlainObject(value) || typeof value['name'] !== 'string' || !areCounts(value['holds']))
    throw malformed(path, 'it is not a document of another program.');
  return { projectId: project.id, name: value['name'], holds: value['holds'], value: value['value'] };
}

const areCounts = (value: unknown): value is Record<string, number> =>
  isPlainObject(value) && Object.values(value).every((count) => typeof count === 'number');
