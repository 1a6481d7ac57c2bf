import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Modes } from '../../on-disk/disk/index.ts';
import { diskTrouble, modesOf } from '../../on-disk/disk/index.ts';
import { requireNoLink } from '../../on-disk/inside/index.ts';
import type { Secret } from './secret.ts';
import { secretAt } from './secret.ts';

/** Bough's files that belong to no project: lock, journal, temporary files, imports on their way. */
export const OWN_DIRECTORY = '.bough';

/** Where a store lies, and what is written there with. */
export interface Home {
  /** Absolute, without links on the way. */
  readonly directory: string;
  readonly own: string;
  readonly modes: Modes;
  readonly secret: Secret;
}

/** `secretFile` is named after the directory as it was given: that name is the owner's, also where it is a link. */
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
