import { dirname, join } from 'node:path';
import type { Project } from '@bough/core';
import { isPlainObject, UnknownIdError } from '@bough/core';
import { FORMAT } from '../meta/records.ts';
import { replaceFile } from '../repository/plain-file.ts';
import { readIfThere } from '../../on-disk/disk/index.ts';

/**
 * What a list of projects needs, in a plain file next to the objects, so that listing does not start git. It also says
 * which commit of `refs/bough/meta` was carried out completely: a newer one was interrupted by a crash.
 */
export interface Summary {
  /** The format of the Bough that wrote it; absent in summaries from before formats were recorded. */
  readonly format?: number;
  readonly meta: string;
  readonly project: Project;
  readonly order: number | null;
  /** Ids of the turns that have not ended. */
  readonly openTurns: readonly string[];
  /** When one of its branches was last used; absent in summaries from before that was recorded. */
  readonly lastUsedAt?: string;
  /** Something may lie in its trash; absent in summaries from before there was one. */
  readonly hasTrash?: boolean;
  /** Something is kept beside its messages; absent in summaries from before that was possible. */
  readonly hasAnnotations?: boolean;
  /** How many trails its nodes have; absent in summaries from before there were any. */
  readonly trails?: number;
}

export const SUMMARY_FILE = 'bough/summary.json';

const fileOf = (gitDir: string): string => join(gitDir, SUMMARY_FILE);

/** Null where there is none, or it cannot be read: it can always be made again. */
export async function readSummary(gitDir: string): Promise<Summary | null> {
  const bytes = await readIfThere(fileOf(gitDir));
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isSummary(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A summary in another format, or written by somebody else, is treated as missing. */
function isSummary(value: unknown): value is Record<string, unknown> & Summary {
  if (!isPlainObject(value) || (value['format'] ?? 1) !== FORMAT) return false;
  const { meta, project, order, openTurns } = value;
  return (
    typeof meta === 'string' &&
    isPlainObject(project) &&
    ['id', 'name', 'createdAt'].every((field) => typeof project[field] === 'string') &&
    isPlainObject(project['defaults']) &&
    (order === null || typeof order === 'number') &&
    Array.isArray(openTurns)
  );
}

/** Not synced: losing it costs one look at the repository. */
export async function writeSummary(gitDir: string, summary: Summary): Promise<void> {
  await replaceFile(fileOf(gitDir), Buffer.from(JSON.stringify({ format: FORMAT, ...summary })), false);
}

/** The ref that `HEAD` names. */
export async function defaultRefOf(gitDir: string): Promise<string> {
  const text = await readIfThere(join(gitDir, 'HEAD'));
  // A directory that has just been removed.
  if (text === null) throw new UnknownIdError('project', dirname(gitDir));
  return /^ref: (\S+)/.exec(text.toString('utf8'))?.[1] ?? 'refs/heads/main';
}

export async function setDefaultRef(gitDir: string, ref: string): Promise<void> {
  await replaceFile(join(gitDir, 'HEAD'), Buffer.from(`ref: ${ref}\n`), true);
}
