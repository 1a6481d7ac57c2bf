import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, readIfThere } from '../../on-disk/disk/index.ts';
import { isRefName } from './name.ts';
import { readPackedRefs } from './packed.ts';
import { parseRef, type RefValue } from './value.ts';

/** A chain of symbolic refs: git follows no further than this. */
const LONGEST_CHAIN = 5;

/** Every ref and the object that it names, read from the files: looking at a project starts no process. */
export async function readRefs(gitDir: string): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, RefValue>();
  for (const ref of await refFiles(gitDir)) {
    // Not a valid ref name, so not a ref to git either: files of the system or of a backup program.
    if (!isRefName(ref)) continue;
    const value = await readLooseRef(gitDir, ref);
    // Packed since the directory was listed: it is read below.
    if (value !== null) values.set(ref, value);
  }
  // After the loose ones, never before: git packs a ref first and then removes its file, so one of the two always shows
  // it.
  for (const [ref, { oid }] of await readPackedRefs(gitDir)) {
    if (!values.has(ref) && isRefName(ref)) values.set(ref, { oid });
  }
  const refs = new Map<string, string>();
  for (const [ref, value] of values) {
    const oid = follow(value, (next) => values.get(next));
    if (oid !== null) refs.set(ref, oid);
  }
  return refs;
}

function follow(value: RefValue, look: (ref: string) => RefValue | undefined): string | null {
  let at: RefValue | undefined = value;
  for (let step = 0; step <= LONGEST_CHAIN && at !== undefined; step += 1) {
    if ('oid' in at) return at.oid;
    at = look(at.symbolic);
  }
  return null;
}

/** What a ref's own file says; null where it has none. */
export async function readLooseRef(gitDir: string, ref: string): Promise<RefValue | null> {
  try {
    const bytes = await readIfThere(join(gitDir, ref));
    return bytes === null ? null : parseRef(gitDir, ref, bytes.toString('utf8'));
  } catch (error) {
    // Where the ref's file would be is a directory of other refs, or a ref is where its directory would be.
    if (hasCode(error, 'EISDIR', 'ENOTDIR')) return null;
    throw error;
  }
}

/** The object that one ref names; null where it does not exist. */
export async function readRef(gitDir: string, ref: string): Promise<string | null> {
  const { target, value } = await resolveRef(gitDir, ref);
  return value ?? (await readPackedRefs(gitDir)).get(target)?.oid ?? null;
}

/** The ref that a move has to change, and what its own file says: a symbolic ref stands for the one it names. */
export async function resolveRef(
  gitDir: string,
  ref: string,
): Promise<{ readonly target: string; readonly value: string | null }> {
  let target = ref;
  for (let step = 0; step <= LONGEST_CHAIN; step += 1) {
    const value = await readLooseRef(gitDir, target);
    if (value === null || 'oid' in value) return { target, value: value?.oid ?? null };
    target = value.symbolic;
  }
  return { target, value: null };
}

/** The paths of all files below `refs`, lock files included. */
export async function refFiles(gitDir: string, directory = 'refs'): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(join(gitDir, directory))) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await refFiles(gitDir, path)));
    else if (entry.isFile()) found.push(path);
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
