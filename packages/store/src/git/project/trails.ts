import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskTrouble, readIfThere } from '../../on-disk/disk/index.ts';
import { replaceFile } from '../repository/plain-file.ts';
import type { NodeIndex } from '../tree/node-index.ts';

// The trails of a project in a plain file next to its objects, one per line, so that a look-up among all projects opens
// only those that have what it looks for. The lines in git say what is true: this file may name trails that are gone.

export const TRAILS_FILE = 'bough/trails.jsonl';

const fileOf = (gitDir: string): string => join(gitDir, TRAILS_FILE);

const linesOf = (trails: readonly string[]): string => trails.map((trail) => `${JSON.stringify(trail)}\n`).join('');

/** Null where there is none, or where it holds something else: it can always be made again. */
export async function readTrails(gitDir: string): Promise<ReadonlySet<string> | null> {
  const bytes = await readIfThere(fileOf(gitDir));
  if (bytes === null) return null;
  const trails = new Set<string>();
  try {
    for (const line of bytes.toString('utf8').split('\n')) {
      if (line === '') continue;
      const trail: unknown = JSON.parse(line);
      if (typeof trail !== 'string') return null;
      trails.add(trail);
    }
  } catch (error) {
    // A line that a power cut garbled.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return trails;
}

/** Keeps the file of a project up to date. Not synced: losing it costs one look at the repository. */
export function trailsFile(gitDir: string): (index: NodeIndex) => Promise<void> {
  let known: NodeIndex | null = null;
  let written = 0;
  return async (index) => {
    const trails = index.trails();
    if (known === index && written === trails.length) return;
    if (known === index && written > 0) await append(gitDir, trails.slice(written));
    else if (!(await isCurrent(gitDir, trails))) await replaceFile(fileOf(gitDir), Buffer.from(linesOf(trails)), false);
    known = index;
    written = trails.length;
  };
}

async function append(gitDir: string, trails: readonly string[]): Promise<void> {
  try {
    await appendFile(fileOf(gitDir), linesOf(trails));
  } catch (error) {
    throw diskTrouble(fileOf(gitDir), error);
  }
}

/** A project without trails has no file. */
async function isCurrent(gitDir: string, trails: readonly string[]): Promise<boolean> {
  const there = await readTrails(gitDir);
  if (there === null) return trails.length === 0;
  return there.size === trails.length && trails.every((trail) => there.has(trail));
}
