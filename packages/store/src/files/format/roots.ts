import type { Project } from '@bough/core';
import { projectId } from '@bough/core';
import { pinnedAndFolder } from '../../find-projects.ts';
import { malformed } from '../../on-disk/disk/index.ts';
import type { Fields } from './fields.ts';
import { fieldsOf, jsonText, parseJson } from './fields.ts';

/** Loom's list of roots, one per project. Fields that Bough does not know stay as they are. */
export type RootEntry = Readonly<Record<string, unknown>> & { readonly id: string };

export const ROOTS_FILE = 'roots.json';

export function parseRoots(path: string, text: string): readonly RootEntry[] {
  const value = parseJson(path, text);
  if (!Array.isArray(value)) throw malformed(path, 'it must hold a list of roots.');
  return value.map((entry: unknown, index): RootEntry => {
    const fields = fieldsOf(path, entry, `[${index}]`);
    return { ...fields.value, id: fields.text('id') };
  });
}

export const rootsText = (roots: readonly RootEntry[]): string => jsonText(roots);

export const isDeletedRoot = (root: RootEntry): boolean => root['deleted'] === true;

/** The entry of a project. Existing fields that are not Bough's stay. */
export function rootOfProject(project: Project, childIds: readonly string[], before?: RootEntry): RootEntry {
  const config = before && typeof before['config'] === 'object' ? before['config'] : {};
  const { systemPrompt: _, ...others } = { systemPrompt: undefined, ...config };
  return {
    ...before,
    id: project.id,
    child_ids: childIds,
    createdAt: project.createdAt,
    config: project.systemPrompt === null ? others : { ...others, systemPrompt: project.systemPrompt },
  };
}

/** A project as far as Loom knows it: the rest is in Bough's own file next to the nodes, or has its default. */
export function projectOfRoot(path: string, root: RootEntry, own: Fields | null): Project {
  const fields = fieldsOf(path, root, root.id);
  return {
    id: projectId(root.id),
    name: own?.text('name') ?? root.id,
    description: own?.textOrNull('description') ?? null,
    systemPrompt: fields.objectOrNull('config')?.textOrNull('systemPrompt') ?? null,
    // Written only by Bough, exactly as it was given.
    defaults: own?.object('defaults').value ?? {},
    archived: own?.flag('archived') ?? false,
    ...pinnedAndFolder(own?.value['pinned'] === true, own?.textOrNull('folder') ?? null),
    createdAt: fields.textOrNull('createdAt') ?? '1970-01-01T00:00:00.000Z',
  };
}

export function projectFileText(project: Project): string {
  const { name, description, defaults, archived, pinned, folder } = project;
  return jsonText({ version: 1, name, description, defaults, archived, pinned, folder });
}
