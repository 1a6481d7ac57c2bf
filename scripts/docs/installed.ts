import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './run-document.ts';

const run = promisify(execFile);

export interface Installed {
  /** The program file of the package that people install. */
  readonly program: string;
  readonly dispose: () => Promise<void>;
}

/**
 * Builds the package of `npm run pack:cli` without installing it: what it needs next to it is taken from the
 * repository.
 */
export async function installBough(): Promise<Installed> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-installed-'));
  const dispose = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await run(process.execPath, [join(ROOT, 'packages', 'cli', 'scripts', 'pack.mjs'), '--out', directory]);
    await symlink(join(ROOT, 'node_modules'), join(directory, 'package', 'node_modules'));
    return { program: join(directory, 'package', 'bough.mjs'), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
