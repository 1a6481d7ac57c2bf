import type { ProjectId } from '@bough/core';
import { ConflictError, StoreError } from '../../errors.ts';
import { hasCode } from '../../on-disk/disk/index.ts';
import type { BlobDirectory } from '../../on-disk/blobs/index.ts';
import { createStreamLogs, type StreamLogs } from '../log/stream-logs.ts';
import { RefsMovedError } from '../refs/move.ts';
import { createMaintenance } from '../repository/maintenance.ts';
import { removeStaleLocks } from '../repository/recover.ts';
import { requirePlain } from '../repository/require-plain.ts';
import { createRepository, type Repository } from '../repository/repository.ts';
import type { NodeIndex } from '../tree/node-index.ts';
import { createNodeReader, type NodeReader } from '../tree/read-nodes.ts';
import type { TextMemory, Texts } from '../tree/texts.ts';
import { commitDraft } from './write-commit.ts';
import { type PlannedCommit, newDraft } from './planned-commit.ts';
import { type LoadOptions, loadProject } from './load.ts';
import { lastUsedAt, type ProjectState } from './state.ts';
import { writeSummary } from './summary.ts';
import { trailsFile } from './trails.ts';

/** What a write has prepared: how to update the state once it has happened, and what to return to the caller. */
export interface Prepared<T> {
  readonly apply: readonly (() => void)[];
  readonly result: T;
}

/** A project in memory. Writes come one after the other; reads see the state before or after each of them, whole. */
export interface OpenProject {
  readonly id: ProjectId;
  readonly repository: Repository;
  readonly texts: Texts;
  readonly nodes: NodeReader;
  readonly logs: StreamLogs;
  readonly held: BlobDirectory;
  readonly state: () => ProjectState;
  readonly write: <T>(
    summary: string,
    prepare: (draft: PlannedCommit, state: ProjectState) => Promise<Prepared<T>>,
  ) => Promise<T>;
  /** A write after which the state is rebuilt: it changes too much to be applied piece by piece. */
  readonly rewrite: <T>(
    summary: string,
    prepare: (draft: PlannedCommit, state: ProjectState) => Promise<T>,
  ) => Promise<T>;
  /** Work that must not run alongside a write, and is not one itself. */
  readonly exclusively: <T>(work: (state: ProjectState) => Promise<T>) => Promise<T>;
  readonly maintained: () => Promise<void>;
  /** Finishes what is under way. Later callers are told why the project is gone. */
  readonly close: (reason: Error) => Promise<void>;
}

export async function openProject(directory: string, options: LoadOptions, memory: TextMemory): Promise<OpenProject> {
  const repository = createRepository(directory, options.own);
  const texts = memory.of(repository);
  try {
    await requirePlain(repository.gitDir);
    await removeStaleLocks(repository.gitDir);
    let state = await loadProject(repository, texts, options);
    const noteTrails = trailsFile(repository.gitDir);
    await noteState(repository, state, noteTrails);
    const logs = createStreamLogs(repository.gitDir);
    const maintenance = createMaintenance(repository, texts, options.packing);
    let last: Promise<unknown> = Promise.resolve();
    let closed: Error | null = null;

    const reload = async (): Promise<void> => {
      state = await loadProject(repository, texts, { ...options, id: state.project.id });
      await noteState(repository, state, noteTrails);
    };
    // After a failure it is unknown whether the refs have moved: what they say is what has happened.
    const commit = async (current: ProjectState, draft: PlannedCommit): ReturnType<typeof commitDraft> => {
      try {
        return await commitDraft(repository, current, draft);
      } catch (error) {
        await reload();
        throw error instanceof RefsMovedError ? movedMeanwhile(error, draft, state) : error;
      }
    };
    const exclusively = <T>(work: (state: ProjectState) => Promise<T>): Promise<T> => {
      const result = last.then(() => {
        if (closed) throw closed;
        return work(state);
      });
      last = result.catch(() => undefined);
      return result;
    };

    return {
      id: state.project.id,
      repository,
      texts,
      nodes: createNodeReader(state.project.id, texts, (node) => state.includeThinking.get(node)),
      logs,
      held: options.held,
      state: () => state,
      exclusively,
      rewrite: (summary, prepare) =>
        exclusively(async (current) => {
          const draft = newDraft(repository, summary, current.meta.sequence);
          const result = await prepare(draft, current);
          const { written } = await commit(current, draft);
          await reload();
          maintenance.wrote(written);
          return result;
        }),
      write: (summary, prepare) =>
        exclusively(async (current) => {
          const draft = newDraft(repository, summary, current.meta.sequence);
          const { apply, result } = await prepare(draft, current);
          const { meta, written } = await commit(current, draft);
          const recorded = meta.commit !== current.meta.commit;
          current.meta = meta;
          for (const tell of apply) tell();
          if (recorded) await noteState(repository, current, noteTrails);
          maintenance.wrote(written);
          return result;
        }),
      maintained: maintenance.settled,
      close: async (reason) => {
        const underWay = last;
        closed = reason;
        await underWay;
        await logs.close(reason);
        await maintenance.close();
        await repository.close(reason);
      },
    };
  } catch (error) {
    await repository.close(error instanceof Error ? error : new Error(String(error)));
    throw isOfTheContent(error) ? unreadable(repository.gitDir, error) : error;
  }
}

/**
 * A record of the wrong shape, a directory where a file should be: reported as damage, because one project must not
 * hide the others.
 */
function isOfTheContent(error: unknown): error is Error {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    hasCode(error, 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG')
  );
}

function unreadable(gitDir: string, cause: Error): StoreError {
  return new StoreError(
    'corrupt_project',
    gitDir,
    `${gitDir} cannot be read (${cause.message}). Restore it from a clone or a backup, or move it out of the projects' directory.`,
    { cause },
  );
}

async function noteState(
  { gitDir }: Repository,
  state: ProjectState,
  noteTrails: (index: NodeIndex) => Promise<void>,
): Promise<void> {
  const { meta, project, file, openTurns, hasTrash, index, annotations, isShared } = state;
  if (meta.commit === null) return;
  try {
    const open = [...openTurns.keys()];
    // Before the summary, which says how many there are.
    await noteTrails(index);
    await writeSummary(gitDir, {
      meta: meta.commit,
      project,
      order: file.order,
      openTurns: open,
      hasTrash,
      hasAnnotations: annotations.size > 0 || isShared,
      lastUsedAt: lastUsedAt(state),
      trails: index.trails().length,
    });
  } catch (error) {
    // The write itself is done and durable. A summary that lags is recognised by its commit and made again.
    if (!(error instanceof StoreError)) throw error;
  }
}

/** Somebody using git by hand was faster: a conflict like any other. Otherwise git had a reason of its own. */
function movedMeanwhile(error: RefsMovedError, { moves }: PlannedCommit, state: ProjectState): Error {
  const moved = moves.find(({ ref, from }) => (state.heads.get(ref)?.commit ?? null) !== from);
  if (moved === undefined) return error;
  const tip = state.heads.get(moved.ref)?.tip ?? null;
  return new ConflictError('tip_moved', `${moved.ref} was moved outside of Bough. Read again and decide.`, tip);
}
