import type { Store } from '@bough/store';
import { lstat, realpath } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { markOf, Sessions } from './formats/sessions/index.ts';
import type { Found } from './found.ts';
import { iterate } from './found.ts';
import type { ImportOptions } from './index.ts';
import { sessionsInput, takeIn, UnknownSourceError } from './index.ts';
import type { ImportReport } from './report.ts';

export interface FollowOptions extends Omit<ImportOptions, 'signal' | 'onError'> {
  /** Ends it: what was written until then is taken in first. */
  readonly signal: AbortSignal;
  /** After each look at the files at which something was new. */
  readonly onNews?: (report: ImportReport) => void;
  /** How long to wait before looking again. */
  readonly pollMs?: number;
  /** A reply at the end of a file is finished if nothing was written for so long. */
  readonly quietMs?: number;
}

const POLL_MS = 1000;
const QUIET_MS = 3000;

interface Seen {
  readonly mark: string;
  readonly since: number;
  readonly isQuiet: boolean;
}

/**
 * Takes in the sessions at a path, and what agents write to them from then on, until it is told to stop. A file that
 * changed is read again, and only what is new is added; files that appear later are found.
 */
export async function followPath(store: Store, named: string, options: FollowOptions): Promise<ImportReport> {
  const { signal, pollMs = POLL_MS, quietMs = QUIET_MS, onNews, ...rest } = options;
  // What has been begun is finished: only between two looks it stops.
  const importing: ImportOptions = { ...rest, onError: 'skip' };
  const path = await realpath(named).catch(() => named);
  const found = await lstat(path).catch(() => null);
  if (found === null) throw new UnknownSourceError(named, 'There is no such file or directory.');
  const sessions = new Sessions(path);
  if (!found.isDirectory() && !(await sessions.areThere()))
    throw new UnknownSourceError(named, 'Only sessions of agents can be followed.');
  const reports = new Map<string, ImportReport>();
  const seen = new Map<string, Seen>();
  const input = sessionsInput(store, importing, () => undefined);

  const look = async (isLast: boolean): Promise<void> => {
    const changed = async (paths: readonly string[]): Promise<'no' | 'running' | 'yes'> => {
      const name = paths.join('\n');
      const before = seen.get(name);
      const mark = await markOf(paths);
      const now = Date.now();
      const isNew = before === undefined || before.mark !== mark;
      const since = before === undefined ? await newest(paths) : isNew ? now : before.since;
      const isQuiet = isLast || now - since >= quietMs;
      seen.set(name, { mark, since, isQuiet });
      if (isNew) return isQuiet ? 'yes' : 'running';
      return isQuiet && !before.isQuiet ? 'yes' : 'no';
    };
    for await (const each of sessions.read(input, changed)) {
      const report = await takeIn(store, iterate([each]), importing);
      const [project] = report.projects;
      const key = project?.id ?? keyOf(each);
      const before = reports.get(key);
      reports.set(key, before === undefined ? report : later(before, report));
      if (project !== undefined && project.outcome !== 'unchanged') onNews?.(report);
    }
  };

  while (!signal.aborted) {
    await look(false);
    await wait(pollMs, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  await look(true);
  return sumOf([...reports.values()]);
}

/** By what is told about it where it is no project: told again, it takes the place of what was told before. */
function keyOf(found: Found): string {
  if (found.type === 'project') return found.title;
  return found.type === 'problem' ? found.problem.where : found.kinds.join('\n');
}

async function newest(paths: readonly string[]): Promise<number> {
  const times = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(0, ...times);
}

/** A project that was read again: its newest state, with everything that was added since the beginning. */
function later(before: ImportReport, after: ImportReport): ImportReport {
  const [old] = before.projects;
  const projects = after.projects.map((project) => ({
    ...project,
    addedNodes: project.addedNodes + (old?.addedNodes ?? 0),
    outcome: old === undefined || old.outcome === 'unchanged' ? project.outcome : old.outcome,
  }));
  return { ...after, projects, files: before.files + after.files };
}

function sumOf(reports: readonly ImportReport[]): ImportReport {
  const sum = (of: (report: ImportReport) => number): number => reports.reduce((all, each) => all + of(each), 0);
  const counts = (of: (report: ImportReport) => Readonly<Record<string, number>>): Record<string, number> => {
    const all: Record<string, number> = {};
    for (const report of reports)
      for (const [kind, count] of Object.entries(of(report))) all[kind] = (all[kind] ?? 0) + count;
    return all;
  };
  return {
    projects: reports.flatMap(({ projects }) => projects),
    nodes: sum(({ nodes }) => nodes),
    branches: sum(({ branches }) => branches),
    turns: sum(({ turns }) => turns),
    unreplayable: sum(({ unreplayable }) => unreplayable),
    unsigned: sum(({ unsigned }) => unsigned),
    reasoning: {
      goesBack: sum(({ reasoning }) => reasoning.goesBack),
      stays: counts(({ reasoning }) => reasoning.stays),
    },
    leftOut: counts(({ leftOut }) => leftOut),
    beside: counts(({ beside }) => beside),
    problems: reports.flatMap(({ problems }) => problems),
    files: sum(({ files }) => files),
    missingFiles: reports.flatMap(({ missingFiles }) => missingFiles),
  };
}
