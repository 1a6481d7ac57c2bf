import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectId } from '@bough/core';
import { ConflictError, StoreError } from '../../errors.ts';
import { diskTrouble, hasCode } from '../../on-disk/disk/index.ts';
import type { Base } from '../state/base.ts';
import { directoryOf } from '../state/places.ts';

/**
 * A new project needs an id that no root has, not even one that Loom marked as deleted, and a directory that does not
 * exist: its content would be somebody else's.
 */
export async function requireFreePlace(base: Base, id: ProjectId): Promise<void> {
  if (base.roots.some((root) => root.id === id)) {
    throw new ConflictError('id_taken', `There already is a project with the id "${id}".`, id);
  }
  const path = join(base.directory, directoryOf(id));
  if (!(await exists(path))) return;
  // A project that was just deleted may still be in the process of removal.
  await base.files.settle();
  if (await exists(path)) {
    throw new StoreError(
      'directory_taken',
      path,
      `${path} is there already, but belongs to no project. Move it away first.`,
    );
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw diskTrouble(path, error);
  }
}
