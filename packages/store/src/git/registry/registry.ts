import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project, ProjectId } from '@bough/core';
import { sha256, UnknownIdError } from '@bough/core';
import { ConflictError, StoreError } from '../../errors.ts';
import type { LoadOptions } from '../project/load.ts';
import { type OpenProject, openProject } from '../project/open-project.ts';
import { META_REF } from '../meta/layout.ts';
import { readSummary, SUMMARY_FILE } from '../project/summary.ts';
import { readTrails, TRAILS_FILE } from '../project/trails.ts';
import { PACKED_REFS } from '../refs/packed.ts';
import { readRef, readRefs } from '../refs/read.ts';
import { requirePlain, requirePlainPath } from '../repository/require-plain.ts';
import { lastUsedAt } from '../project/state.ts';
import type { ListedProject } from '../../store.ts';
import type { TrashTicket } from '../../trash.ts';
import { entriesOf } from '../trash/layout.ts';
import { createTextMemory } from '../tree/texts.ts';
import { createProjectRepository } from './create.ts';
import {
  directoryName,
  findDirectory,
  idOfDirectory,
  moveDirectory,
  projectDirectories,
  publishDirectory,
  removeDirectory,
  trashedDirectories,
  trashedName,
  unfinishedDirectory,
} from './directories.ts';
import { readTrashed, type TrashedProject, writeTrashed } from './trashed.ts';

/** What is known of a project that is not open. */
interface Listing {
  readonly name: string;
  readonly project: Project;
  /** Null for a project that Bough did not make. */
  readonly order: number | null;
  readonly hasOpenTurns: boolean;
  readonly hasTrash: boolean;
  readonly hasAnnotations: boolean;
  readonly lastUsedAt: string;
  readonly trails: number;
}

/** The projects in one directory: opened on demand, then kept open. */
export interface Registry {
  readonly open: (id: ProjectId) => Promise<OpenProject>;
  /** In the order of storage. A project that cannot be read is left out and listed in `problems`. */
  readonly list: () => Promise<readonly ListedProject[]>;
  readonly each: () => AsyncIterable<OpenProject>;
  readonly withOpenTurns: () => AsyncIterable<OpenProject>;
  /** The state of the refs of a project that is not open, null for one that is: for what was derived from them. */
  readonly stampOf: (id: ProjectId) => Promise<string | null>;
  /** The projects that have any of these trails, as far as can be told without opening them. */
  readonly withTrails: (trails: readonly string[]) => AsyncIterable<OpenProject>;
  readonly problems: () => readonly StoreError[];
  /** Makes a project; `prepare` may add to its directory, and `fill` to the project, before it becomes visible. */
  readonly create: (
    project: Project,
    prepare?: (directory: string) => Promise<void>,
    fill?: (project: OpenProject) => Promise<void>,
  ) => Promise<void>;
  /** With a ticket it can be restored. */
  readonly remove: (id: ProjectId, ticket?: TrashTicket) => Promise<void>;
  /** Projects in whose own trash something may lie; one of them, or all. */
  readonly withTrash: (id?: ProjectId) => AsyncIterable<OpenProject>;
  /** Projects in which something may be kept beside messages. */
  readonly withAnnotations: () => AsyncIterable<OpenProject>;
  readonly trashed: () => Promise<readonly TrashedProject[]>;
  readonly restore: (id: string) => Promise<void>;
  readonly purge: (id: string) => Promise<void>;
  /** Purges what a project in the trash has in its own one. */
  readonly purgeWithin: (id: string, within: string, purge: (project: OpenProject) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}

export function createRegistry(root: string, options: Omit<LoadOptions, 'id'>): Registry {
  /** By the directory's name. */
  const opened = new Map<string, Promise<OpenProject>>();
  const names = new Map<ProjectId, string>();
  const problems = new Map<string, StoreError>();
  /** What was read of projects that are not open: nobody else changes them while this store is open. */
  const listings = new Map<string, Listing>();
  /** The trails of those that have any, once somebody looked for one. */
  const trailsOf = new Map<string, ReadonlySet<string> | null>();
  const memory = createTextMemory();
  const underWay = new Set<Promise<unknown>>();
  const removing = new Set<string>();
  /** The place of the project stored last; null until the directory has been looked at. */
  let lastOrder: number | null = null;
  let closed = false;

  /** Projects being made or removed: closing waits for them. */
  const tracked = async <T>(work: () => Promise<T>): Promise<T> => {
    requireOpen();
    const result = work();
    underWay.add(result);
    try {
      return await result;
    } finally {
      underWay.delete(result);
    }
  };
  const isClosed = new StoreError('store_closed', root, 'The store is closed. Open it again.');
  const requireOpen = (): void => {
    if (closed) throw isClosed;
  };

  const nameOf = async (id: ProjectId): Promise<string> => {
    const name = names.get(id) ?? findDirectory(root, id);
    if (name === null) throw new UnknownIdError('project', id);
    names.set(id, name);
    return name;
  };

  const openDirectory = async (name: string): Promise<OpenProject> => {
    requireOpen();
    if (removing.has(name)) throw new UnknownIdError('project', idOfDirectory(name) ?? name);
    const under = opened.get(name) ?? openProject(join(root, name), { ...options, id: idOfDirectory(name) }, memory);
    opened.set(name, under);
    for (const known of [listings, trailsOf]) known.delete(name);
    try {
      return await under;
    } catch (error) {
      if (opened.get(name) === under) opened.delete(name);
      throw error;
    }
  };

  /** Open already, or opened to be looked at once more before it goes. */
  const openRemoving = (name: string): Promise<OpenProject> => {
    const under = opened.get(name) ?? openProject(join(root, name), { ...options, id: idOfDirectory(name) }, memory);
    opened.set(name, under);
    return under;
  };

  const closeOpened = async (name: string, reason: Error): Promise<void> => {
    const project = await opened.get(name)?.catch(() => null);
    await project?.close(reason);
  };

  /** Null for a project that cannot be read: a damaged one must not hide the others. */
  const tolerant = async <T>(name: string, look: () => Promise<T>): Promise<T | null> => {
    try {
      const seen = await look();
      problems.delete(name);
      return seen;
    } catch (error) {
      // One that was removed meanwhile is not a problem.
      if (error instanceof StoreError && error !== isClosed) problems.set(name, error);
      else if (!(error instanceof UnknownIdError)) throw error;
      return null;
    }
  };

  const listingOf = async (name: string): Promise<Listing> => {
    const listing = opened.has(name) ? null : (listings.get(name) ?? (await readListing(root, name)));
    if (listing !== null) {
      listings.set(name, listing);
      return listing;
    }
    const state = (await openDirectory(name)).state();
    const { project, file, openTurns, hasTrash, index } = state;
    const hasAnnotations = state.annotations.size > 0;
    const hasOpenTurns = openTurns.size > 0;
    const trails = index.trails().length;
    const kept = { hasOpenTurns, hasTrash, hasAnnotations };
    return { name, project, order: file.order, ...kept, lastUsedAt: lastUsedAt(state), trails };
  };

  const list = async (): Promise<readonly Listing[]> => {
    const directories = await projectDirectories(root, (name) => opened.has(name) || listings.has(name));
    const found = await Promise.all(directories.map((name) => tolerant(name, () => listingOf(name))));
    return found.filter((listing) => listing !== null).sort(inOrder);
  };

  const openListed = async function* (listings: readonly Listing[]): AsyncIterable<OpenProject> {
    for (const { name } of listings) {
      const project = await tolerant(name, () => openDirectory(name));
      if (project !== null) yield project;
    }
  };

  /** Where fewer trails are noted than there are, the project itself has to be asked. */
  const hasTrail = async ({ name, trails: count }: Listing, trails: readonly string[]): Promise<boolean> => {
    if (count === 0) return false;
    if (opened.has(name)) return true;
    const known = trailsOf.get(name);
    const there = known === undefined ? await readTrails(join(root, name, '.git')) : known;
    trailsOf.set(name, there);
    return there === null || there.size < count || trails.some((trail) => there.has(trail));
  };

  return {
    open: async (id) => openDirectory(await nameOf(id)),
    list: async () =>
      (await list()).map(({ project, lastUsedAt: used, trails }) => ({
        ...project,
        lastUsedAt: used,
        recorded: trails > 0,
      })),
    each: async function* () {
      yield* openListed(await list());
    },
    stampOf: async (id) => {
      const name = await nameOf(id);
      if (opened.has(name)) return null;
      const gitDir = join(root, name, '.git');
      await requirePlain(gitDir);
      const refs = [...(await readRefs(gitDir))].sort(([a], [b]) => (a < b ? -1 : 1));
      return sha256(JSON.stringify(refs));
    },
    withOpenTurns: async function* () {
      yield* openListed((await list()).filter(({ hasOpenTurns }) => hasOpenTurns));
    },
    withTrails: async function* (trails) {
      const found: Listing[] = [];
      for (const listing of await list()) if (await hasTrail(listing, trails)) found.push(listing);
      yield* openListed(found);
    },
    withTrash: async function* (id) {
      yield* openListed(
        (await list()).filter(({ project, hasTrash }) => hasTrash && (id ?? project.id) === project.id),
      );
    },
    withAnnotations: async function* () {
      yield* openListed((await list()).filter(({ hasAnnotations }) => hasAnnotations));
    },
    problems: () => [...problems.values()],

    trashed: async () => {
      const found: TrashedProject[] = [];
      for (const name of await trashedDirectories(root)) {
        const trashed = await tolerant(name, () => readTrashed(join(root, name)));
        if (trashed !== null) found.push(trashed);
      }
      return found;
    },

    restore: (id) =>
      tracked(async () => {
        const from = trashedName(id);
        const trashed = await readTrashed(join(root, from));
        if (trashed === null) throw new UnknownIdError('trash entry', id);
        const { projectId } = trashed.entry;
        const taken = new ConflictError(
          'id_taken',
          `There already is a project with the id "${projectId}".`,
          projectId,
        );
        if (findDirectory(root, projectId) !== null) throw taken;
        if (!(await publishDirectory(root, join(root, from), trashed.name))) throw taken;
      }),

    purge: (id) => tracked(() => removeDirectory(root, trashedName(id))),

    purgeWithin: (id, within, purge) =>
      tracked(async () => {
        const directory = join(root, trashedName(id));
        const trashed = await readTrashed(directory);
        if (trashed === null) return;
        await fillProject(() => openProject(directory, { ...options, id: trashed.entry.projectId }, memory), purge);
        await writeTrashed(directory, { ...trashed, contains: trashed.contains.filter((one) => one.id !== within) });
      }),

    create: (project, prepare, fill) =>
      tracked(async () => {
        const taken = new ConflictError(
          'id_taken',
          `There already is a project with the id "${project.id}".`,
          project.id,
        );
        if (findDirectory(root, project.id) !== null) throw taken;
        lastOrder ??= Math.max(0, ...(await list()).map(({ order }) => order ?? 0));
        lastOrder += 1;
        const unfinished = unfinishedDirectory(root);
        try {
          await createProjectRepository(unfinished, project, lastOrder);
          await prepare?.(unfinished);
          if (fill) await fillProject(() => openProject(unfinished, { ...options, id: project.id }, memory), fill);
          if (!(await publishDirectory(root, unfinished, directoryName(project.id)))) throw taken;
        } finally {
          await rm(unfinished, { recursive: true, force: true });
        }
      }),

    remove: (id, ticket) =>
      tracked(async () => {
        const name = await nameOf(id);
        const gone = new UnknownIdError('project', id);
        if (removing.has(name)) throw gone;
        removing.add(name);
        try {
          if (ticket !== undefined) {
            const trashed = await describe(await openRemoving(name), name, ticket);
            await closeOpened(name, gone);
            await writeTrashed(join(root, name), trashed);
            await moveDirectory(root, name, trashedName(ticket.id));
          } else {
            await closeOpened(name, gone);
            await removeDirectory(root, name);
          }
          for (const known of [opened, listings, trailsOf, problems]) known.delete(name);
          names.delete(id);
        } finally {
          removing.delete(name);
        }
      }),

    close: async () => {
      closed = true;
      await Promise.allSettled(underWay);
      const projects = await Promise.all([...opened.values()].map((under) => under.catch(() => null)));
      await Promise.all(projects.map(async (project) => project?.close(isClosed)));
      opened.clear();
    },
  };
}

async function describe(project: OpenProject, name: string, ticket: TrashTicket): Promise<TrashedProject> {
  const { project: told, index } = project.state();
  const entry = {
    ...ticket,
    kind: 'project' as const,
    projectId: told.id,
    projectName: told.name,
    title: told.name,
    messages: index.all().length,
    branches: [],
  };
  return { entry, name, contains: await entriesOf(project) };
}

async function fillProject(
  open: () => Promise<OpenProject>,
  fill: (project: OpenProject) => Promise<void>,
): Promise<void> {
  const project = await open();
  try {
    await fill(project);
  } finally {
    await project.close(new UnknownIdError('project', project.id));
  }
}

/** From the summary; null where that is missing or out of date. */
async function readListing(root: string, name: string): Promise<Listing | null> {
  const gitDir = join(root, name, '.git');
  for (const path of [SUMMARY_FILE, TRAILS_FILE, META_REF, PACKED_REFS]) requirePlainPath(gitDir, path);
  const summary = await readSummary(gitDir);
  if (summary === null || summary.meta !== (await readRef(gitDir, META_REF))) return null;
  // A project that was not opened since last uses are recorded is as old as its beginning; opening all would take long.
  const { project, order, openTurns, hasTrash = false, lastUsedAt: used = project.createdAt, trails = 0 } = summary;
  // ResearchTree may star something in its own project while nobody looks.
  const hasAnnotations = summary.hasAnnotations ?? order === null;
  const kept = { hasOpenTurns: openTurns.length > 0, hasTrash, hasAnnotations };
  return { name, project, order, ...kept, lastUsedAt: used, trails };
}

/** Projects from elsewhere come first, by age; then Bough's, in the order of storage. */
function inOrder(a: Listing, b: Listing): number {
  const byAge = a.project.createdAt < b.project.createdAt ? -1 : 1;
  return (a.order ?? 0) - (b.order ?? 0) || byAge;
}
