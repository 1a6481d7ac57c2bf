import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, readIfThere } from '../../on-disk/disk/index.ts';
import { runGit } from '../process/run.ts';

/**
 * Every ref and the object that it names. Read from the files, so that looking at a project starts no process; a repository with
 * another way of keeping refs is asked through git.
 */
export async function readRefs(gitDir: string): Promise<ReadonlyMap<string, string>> {
  const loose = new Map<string, string>();
  for (const ref of await refFiles(gitDir)) {
    if (ref.endsWith('.lock')) continue;
    const bytes = await readIfThere(join(gitDir, ref));
    // Packed since the directory was listed: it is read below.
    if (bytes === null) continue;
    const value = bytes.toString('utf8').trim();
    // A ref that names another ref, or one that git keeps in a form of its own.
    if (!/^[0-9a-f]{40}$/.test(value)) return askGit(gitDir);
    loose.set(ref, value);
  }
  // After the loose ones, never before: git packs a ref first and removes its file then, so that one of the two always shows it.
  const packed = await readIfThere(join(gitDir, 'packed-refs'));
  const lines = (packed?.toString('utf8') ?? '').matchAll(/^([0-9a-f]{40}) (\S+)$/gm);
  const refs = new Map([...lines].map(([, oid = '', ref = '']) => [ref, oid]));
  for (const [ref, oid] of loose) refs.set(ref, oid);
  return refs.size === 0 && (await readIfThere(join(gitDir, 'reftable', 'tables.list'))) !== null
    ? askGit(gitDir)
    : refs;
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
