import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fit } from '../fit.ts';
import type { Fitted } from '../fitted.ts';

export interface Bench {
  /** Fits bytes under a name, in a directory of their own. */
  readonly fit: (name: string, bytes: Uint8Array | string, declaredType?: string) => Promise<Fitted>;
  readonly close: () => Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const root = await mkdtemp(join(tmpdir(), 'bough-fit-'));
  return {
    fit: async (name, bytes, declaredType) => {
      const directory = await mkdtemp(join(root, 'one-'));
      const path = join(directory, 'given');
      await writeFile(path, bytes);
      return fit({ name, declaredType, path, directory });
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}
