import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, readIfThere } from '../../files/disk/index.ts';
import { runGit } from '../process/run.ts';

/**
 * Every ref and the object that it names. Read from the files, so that looking at a project starts no process; a repository with
 * another way of keeping refs is asked through git.
 */
export async function readRefs(gitDir: string): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>();
  const packed = await readIfThere(join(gitDir, 'packed-refs'));
  for (const [, oid = '', ref = ''] of (packed?.toString('utf8') ?? '').matchAll(/^([0-9a-f]{40}) (\S+)$/gm))
    refs.set(ref, oid);
  for (const ref of await refFiles(gitDir)) {
    if (ref.endsWith('.lock')) continue;
    const value = await readLoose(join(gitDir, ref));
    if (value !== null) refs.set(ref, value);
    // A ref that names another ref, or one that git keeps in a form of its own.
    else return askGit(gitDir);
  }
  return refs.size === 0 && (await readIfThere(join(gitDir, 'reftable', 'tables.list'))) !== null
    ? askGit(gitDir)
    : refs;
}

async function readLoose(path: string): Promise<string | null> {
  const value = (await readFile(path, 'utf8')).trim();
  return /^[0-9a-f]{40}$/.test(value) ? value : null;
}

/** The paths of all files below `refs`, lock files included. */
export async function refFiles(gitDir: string, directory = 'refs'): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(join(gitDir, directory))) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await refFiles(gitDir, path)));
    else found.push(path);
  }
  return found;
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function askGit(gitDir: string): Promise<ReadonlyMap<string, string>> {
  const output = await runGit(gitDir, ['for-each-ref', '--format=%(objectname) %(refname)']);
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
}
