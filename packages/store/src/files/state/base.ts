import type { ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { RootEntry } from '../format/roots.ts';
import type { FileSet } from '../journal/index.ts';
import type { ProjectState } from './project-state.ts';

/** An open store: its files, and their structure in memory. */
export interface Base {
  /** The absolute path, for messages and for what is prepared beside the files. */
  readonly directory: string;
  readonly files: FileSet;
  /** In the order of `roots.json`. */
  readonly projects: Map<ProjectId, ProjectState>;
  roots: readonly RootEntry[];
  readonly now: () => number;
  /** One writer at a time: what it checked still holds when its change is durable. */
  readonly exclusively: <T>(write: () => Promise<T>) => Promise<T>;
}

export function projectOf(base: Base, id: ProjectId): ProjectState {
  const state = base.projects.get(id);
  if (!state) throw new UnknownIdError('project', id);
  return state;
}

export function createExclusion(): Base['exclusively'] {
  let last: Promise<unknown> = Promise.resolve();
  return (write) => {
    const mine = last.then(write);
    // The next one waits for this one, whatever becomes of it; whoever asked for it hears of its failure.
    last = mine.catch(() => undefined);
    return mine;
  };
}
