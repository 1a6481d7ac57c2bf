import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diskTrouble, hasCode, readIfThere } from '../../on-disk/disk/index.ts';
import { CONFIG_FILE } from '../meta/layout.ts';
import { objectId } from '../objects/object.ts';
import type { Repository } from '../repository/repository.ts';

// What a repository has outside of its objects and refs: files of the work tree that were never committed (ResearchTree
// keeps its pin in one), the log of refs, ResearchTree's locks.

/** A file outside of git's objects. Its path is relative to the project's directory. */
export interface LooseFile {
  readonly path: string;
  /** The blob that the checked-out commit has in its place. */
  readonly over: string | null;
  readonly text?: string;
  readonly base64?: string;
}

export interface LooseFiles {
  readonly kept: readonly LooseFile[];
  /** What would be lost with the directory. */
  readonly left: readonly string[];
}

const MOST_BYTES = 8 * 1024 * 1024;
const MOST_FILES = 1000;

/** What git makes again by itself, and what Bough does. */
const MADE_AGAIN =
  /^(?:HEAD|index|description|packed-refs|COMMIT_EDITMSG|ORIG_HEAD|FETCH_HEAD|AUTO_MERGE|gc\.log|gc\.pid|config|(?:objects|refs|bough|branches)(?:\/.*)?|hooks\/.*\.sample|info\/(?:exclude|refs))$/;

/** Settings that say how the repository is laid out and who commits: git init writes them. */
const PLAIN_SETTINGS =
  /^\s*(?:\[(?:core|user|commit|init)\]|(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|name|email|gpgsign|defaultBranch)\s*=.*|[#;].*|)\s*$/i;

/** `committed` are the files of the checked-out commit, by path; `known` tells whether an object is kept anyway. */
export async function looseFiles(
  { gitDir }: Repository,
  committed: ReadonlyMap<string, string>,
  known: (oid: string) => Promise<boolean>,
): Promise<LooseFiles> {
  const kept: LooseFile[] = [];
  const left: string[] = [];
  const directory = join(gitDir, '..');
  const keep = async (path: string, over: string | null): Promise<void> => {
    const found = await lstat(join(directory, path)).catch(() => null);
    if (found === null) return;
    const content = found.isFile() && found.size <= MOST_BYTES ? await readIfThere(join(directory, path)) : null;
    if (content === null || kept.length >= MOST_FILES) return void left.push(path);
    const oid = objectId('blob', [content]);
    // As it was checked out, now or earlier: git has it.
    if (!path.startsWith('.git/') && (oid === over || (await known(oid)))) return;
    kept.push({ path, over, ...encoded(content) });
  };
  for (const path of await filesBelow(directory, '')) {
    if (path.startsWith('.git/')) {
      const inside = path.slice('.git/'.length);
      if (inside === CONFIG_FILE || inside.startsWith('logs/')) {
        if (!inside.startsWith('logs/refs/bough/')) await keep(path, null);
      } else if (!MADE_AGAIN.test(inside)) left.push(path);
      else if (inside === 'config' && !(await isPlainConfig(join(directory, path)))) left.push(path);
    } else await keep(path, committed.get(path) ?? null);
  }
  return { kept: kept.sort((a, b) => (a.path < b.path ? -1 : 1)), left };
}

async function isPlainConfig(path: string): Promise<boolean> {
  const text = (await readIfThere(path))?.toString('utf8') ?? '';
  return text.split('\n').every((line) => PLAIN_SETTINGS.test(line));
}

/** Objects are git's own business, and there are many of them. */
async function filesBelow(directory: string, path: string): Promise<string[]> {
  if (path === '.git/objects' || path === '.git/refs') return [];
  const entries = await readdir(join(directory, path), { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw diskTrouble(join(directory, path), error);
  });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesBelow(directory, inner)));
    else found.push(inner);
  }
  return found;
}

function encoded(content: Buffer): Pick<LooseFile, 'text' | 'base64'> {
  const text = content.toString('utf8');
  return Buffer.from(text).equals(content) ? { text } : { base64: content.toString('base64') };
}
