import type { Fields } from '../../fields.ts';
import { claudeCode } from '../claude-code/index.ts';
import { codex } from '../codex/index.ts';
import { geminiCli } from '../gemini-cli/index.ts';
import { pi } from '../pi/index.ts';
import { BoughError } from '@bough/core';
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { headRecords } from './lines.ts';
import type { SessionHead, SessionReader } from './session.ts';

const READERS: readonly SessionReader[] = [codex, pi, geminiCli, claudeCode];

/** Files of one conversation: its session, forks of it, sub-agents. */
export interface FoundSession {
  readonly reader: SessionReader;
  readonly key: string;
  readonly paths: readonly string[];
}

/** Deeper than any client keeps its sessions, and more than anybody has: a directory may be named by mistake. */
const DEPTH = 8;
const MOST_FILES = 200_000;

/** Codex can compress its old rollouts. */
const COMPRESSED = /\.jsonl\.zst$/;

/** All files below a directory that may be sessions, links left alone. */
export async function sessionPaths(path: string): Promise<readonly string[]> {
  const found: string[] = [];
  const search = async (directory: string, depth: number): Promise<void> => {
    const entries = await readdir(directory, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST_FILES)
        throw new BoughError('unknown_source', `${path}: More than ${MOST_FILES} files lie in this directory.`);
      const inside = join(directory, entry.name);
      if (entry.isDirectory() && depth < DEPTH) await search(inside, depth + 1);
      else if (entry.isFile() && /\.jsonl?(?:\.zst)?$/.test(entry.name)) found.push(inside);
    }
  };
  if ((await lstat(path)).isDirectory()) await search(path, 1);
  else {
    found.push(path);
    // Claude Code and Gemini CLI keep the sub-agents of a session in a folder of its name.
    const beside = join(dirname(path), basename(path).replace(/\.jsonl?$/, ''));
    if ((await lstat(beside).catch(() => null))?.isDirectory() === true) await search(beside, 1);
  }
  return found;
}

/** What a file is, judged by its first records; null for one that no client wrote. */
export function readerOf(
  path: string,
  records: readonly Fields[],
): { readonly reader: SessionReader; readonly head: SessionHead } | null {
  for (const reader of READERS) {
    const head = records.length === 0 ? null : reader.headOf(path, records);
    if (head !== null) return { reader, head };
  }
  return null;
}

interface Head extends SessionHead {
  readonly reader: SessionReader;
  readonly path: string;
}

/** Remembers the heads of files: they stay while a file grows. */
export class SessionFinder {
  readonly #heads = new Map<string, Head>();
  #others: readonly string[] = [];

  /** What else lies beside the sessions that were found, by kind. */
  leftOut(): readonly string[] {
    return this.#others.map((path) =>
      COMPRESSED.test(path) ? 'compressed session ("zstd -d" unpacks it)' : 'file that is no session',
    );
  }

  /** The sessions below a path, each with all of its files. */
  async find(path: string): Promise<readonly FoundSession[]> {
    const files = await sessionPaths(path);
    for (const file of files) {
      if (this.#heads.has(file) || COMPRESSED.test(file)) continue;
      const found = readerOf(file, await headRecords(file));
      // A file whose first line is not finished yet is looked at again.
      if (found !== null) this.#heads.set(file, { ...found.head, reader: found.reader, path: file });
    }
    this.#others = files.filter((file) => !this.#heads.has(file));
    const heads = [...this.#heads.values()];
    const bySession = new Map(heads.map((head) => [`${head.reader.format} ${head.session}`, head]));
    const groups = new Map<string, { reader: SessionReader; key: string; paths: string[] }>();
    for (const head of heads) {
      const key = rootOf(head, bySession);
      const name = `${head.reader.format} ${key}`;
      const group = groups.get(name) ?? { reader: head.reader, key, paths: [] };
      group.paths.push(head.path);
      groups.set(name, group);
    }
    return [...groups.values()];
  }
}

/** The conversation that a session belongs to: the one that it was forked from, and so on. */
function rootOf(head: Head, bySession: ReadonlyMap<string, Head>): string {
  const seen = new Set<Head>();
  let at = head;
  while (at.parent !== null && !seen.has(at)) {
    seen.add(at);
    const parent = bySession.get(`${at.reader.format} ${at.parent}`);
    if (parent === undefined) return at.parent;
    at = parent;
  }
  return at.root ?? at.session;
}
