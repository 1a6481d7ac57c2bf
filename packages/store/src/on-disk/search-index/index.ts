import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { ProjectId } from '@bough/core';
import type { Exclusion } from '../exclusion.ts';
import { createExclusion } from '../exclusion.ts';
import { fileNameOf } from '../file-names/index.ts';
import type { IndexedThing, IndexLine } from './lines.ts';
import { HEAD, indexLine, readLines, stampLine } from './lines.ts';

export type { IndexedThing, IndexLine } from './lines.ts';

/**
 * What messages and branches are found by, one plain file per project next to the store (with the cached turns, and
 * like them never part of the data): a line for each, which searches read through. It is brought up to date by whoever
 * searches, from what the store says, so that no write waits for it and nothing that another program did is missed. It
 * may be removed at any time, and where it cannot be written, everything is looked at instead.
 */
export interface SearchIndex {
  /**
   * Adds what is missing and drops what is gone, for as long as `mayGoOn`; resolves to whether it is complete. With a
   * stamp, that is noted for `isStamped`.
   */
  readonly update: (project: ProjectId, given: Given, mayGoOn: () => boolean) => Promise<boolean>;
  /** Whether the project was in this state when its index was last complete. */
  readonly isStamped: (project: ProjectId, stamp: string) => Promise<boolean>;
  /** Null, as the last one: the index cannot be read. */
  readonly lines: (project: ProjectId) => AsyncIterable<IndexLine | null>;
  /** Also from the disk: words of what was deleted must not stay. */
  readonly forget: (project: ProjectId, nodes: readonly string[]) => Promise<void>;
  readonly forgetProject: (project: ProjectId) => void;
}

export interface Given {
  readonly things: readonly IndexedThing[];
  readonly lexemesOf: (things: readonly IndexedThing[]) => Promise<readonly (readonly string[])[]>;
  readonly stamp?: string;
}

/** Messages that are read and indexed at a time. */
const STEP = 100;

interface Kept {
  readonly exclusively: Exclusion;
  /** What the file has, by kind and id; null until it was read. */
  marks: Map<string, string> | null;
  stamp: string | null;
}

const keyOf = ({ kind, id }: IndexedThing): string => `${kind} ${id}`;

export function searchIndexAt(root: string): SearchIndex {
  const projects = new Map<ProjectId, Kept>();
  const fileOf = (project: ProjectId): string => join(root, fileNameOf(project), 'search.lines');
  const keptOf = (project: ProjectId): Kept => {
    const kept = projects.get(project) ?? { exclusively: createExclusion(), marks: null, stamp: null };
    projects.set(project, kept);
    return kept;
  };

  const read = async (project: ProjectId, kept: Kept): Promise<Map<string, string>> => {
    if (kept.marks !== null) return kept.marks;
    const marks = new Map<string, string>();
    kept.stamp = null;
    for await (const line of readLines(fileOf(project))) {
      if (line === null) {
        await begin(fileOf(project));
        marks.clear();
        kept.stamp = null;
      } else if ('stamp' in line) kept.stamp = line.stamp;
      else {
        marks.set(keyOf(line), line.mark);
        kept.stamp = null;
      }
    }
    return (kept.marks = marks);
  };

  const update = async (project: ProjectId, kept: Kept, given: Given, mayGoOn: () => boolean): Promise<boolean> => {
    const marks = await read(project, kept);
    const wanted = new Map(given.things.map((thing) => [keyOf(thing), thing.mark]));
    const gone = [...marks].filter(([key, mark]) => wanted.get(key) !== mark);
    if (gone.length > 0) {
      for (const [key] of gone) marks.delete(key);
      kept.stamp = null;
      await rewrite(fileOf(project), (line) => wanted.get(keyOf(line)) === line.mark);
    }
    const missing = given.things.filter((thing) => marks.get(keyOf(thing)) !== thing.mark);
    for (let at = 0; at < missing.length; at += STEP) {
      if (at > 0 && !mayGoOn()) return false;
      const step = missing.slice(at, at + STEP);
      const lexemes = await given.lexemesOf(step);
      kept.stamp = null;
      await appendFile(fileOf(project), step.map((thing, nth) => indexLine(thing, lexemes[nth] ?? [])).join(''));
      for (const thing of step) marks.set(keyOf(thing), thing.mark);
    }
    if (given.stamp !== undefined && kept.stamp !== given.stamp) {
      await appendFile(fileOf(project), stampLine(given.stamp));
      kept.stamp = given.stamp;
    }
    return true;
  };

  /** What is known of a file is forgotten when it could not be written: it may be anything now. */
  const orForget = async <T>(kept: Kept, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      kept.marks = null;
      throw error;
    }
  };

  return {
    update: (project, given, mayGoOn) => {
      const kept = keptOf(project);
      return kept.exclusively(() => orForget(kept, () => update(project, kept, given, mayGoOn)));
    },
    isStamped: (project, stamp) => {
      const kept = keptOf(project);
      return kept.exclusively(async () => {
        if (kept.marks === null && kept.stamp === null) kept.stamp = await lastStamp(fileOf(project));
        return kept.stamp === stamp;
      });
    },
    lines: async function* (project) {
      for await (const line of readLines(fileOf(project))) if (line === null || !('stamp' in line)) yield line;
    },
    forget: (project, nodes) => {
      const kept = keptOf(project);
      return kept.exclusively(async () => {
        const gone = new Set(nodes);
        kept.stamp = null;
        for (const id of nodes) kept.marks?.delete(keyOf({ kind: 'node', id, mark: '', createdAt: '' }));
        await rewrite(fileOf(project), ({ kind, id }) => kind !== 'node' || !gone.has(id)).catch(() => {
          kept.marks = null;
        });
      });
    },
    forgetProject: (project) => void projects.delete(project),
  };
}

async function lastStamp(path: string): Promise<string | null> {
  let stamp: string | null = null;
  for await (const line of readLines(path)) stamp = line !== null && 'stamp' in line ? line.stamp : null;
  return stamp;
}

async function begin(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replace(path, async (draft) => writeFile(draft, HEAD, { mode: 0o600 }));
}

/** Writes the file again without some of its lines; one that is missing stays missing. */
async function rewrite(path: string, stays: (line: IndexLine) => boolean): Promise<void> {
  await replace(path, async (draft) => {
    await writeFile(draft, HEAD, { mode: 0o600 });
    let text = '';
    for await (const line of readLines(path)) {
      if (line === null || 'stamp' in line || !stays(line)) continue;
      text += indexLine(line, [line.lexemes.slice(1, -1)]);
      if (text.length < 1024 * 1024) continue;
      await appendFile(draft, text);
      text = '';
    }
    await appendFile(draft, text);
  });
}

async function replace(path: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await fill(draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
