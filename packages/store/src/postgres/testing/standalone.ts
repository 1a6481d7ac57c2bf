import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from '../../contract/crash/program.ts';
import { bundleInto } from '../../contract/crash/program.ts';

/**
 * Bundles a program with everything that it imports, readable by every user: a child that runs as another user may not
 * be able to read the repository.
 */
export async function bundleStandalone(entry: URL): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-program-'));
  await chmod(directory, 0o755);
  return bundleInto(directory, entry, true);
}
