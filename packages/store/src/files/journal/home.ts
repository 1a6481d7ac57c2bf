import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Modes } from '../../on-disk/disk/index.ts';
import { diskTrouble, modesOf } from '../../on-disk/disk/index.ts';
import { requireNoLink } from '../../on-disk/inside/index.ts';
import type { Secret } from './secret.ts';
import { secretAt } from './secret.ts';

/** Bough's files that belong to no project: lock, journal, temporary files, unfinished imports. */
export const OWN_DIRECTORY = '.bough';

/** Where a store is, and the secret and modes it is written with. */
export interface Home {
  /** Absolute, without links in it. */
  readonly directory: string;
  readonly own: string;
  readonly modes: Modes;
  readonly secret: Secret;
}

/** The secret is named after the directory as it was given: the owner chose that name, even where it is a link. */
export async function homeAt(directory: string, secretFile = `${resolve(directory)}.key`): Promise<Home> {
  const given = resolve(directory);
  const modes = await modesOf(given);
  try {
    const path = await realpath(given);
    const own = join(path, OWN_DIRECTORY);
    await requireNoLink(own);
    return { directory: path, own, modes, secret: secretAt(secretFile) };
  } catch (error) {
    throw diskTrouble(given, error);
  }
}
