import type { BlobHash, ProjectId } from '@bough/core';
import type { Gathering } from '../../gather.ts';
import { gather } from '../../gather.ts';
import { ConflictError } from '../../errors.ts';
import { withBookmarks } from '../annotations/loom-bookmarks.ts';
import { requireBlobs } from '../blobs/require.ts';
import type { Bookmark } from '../format/bookmarks.ts';
import type { RootEntry } from '../format/roots.ts';
import { ROOTS_FILE, rootsText } from '../format/roots.ts';
import type { Base } from '../state/base.ts';
import { directoryOf } from '../state/places.ts';
import { scanProject } from '../state/scan.ts';
import { requireFreePlace } from './place.ts';

/** A project whose files are written and durable, in a directory that nobody sees. */
export interface Prepared {
  readonly project: ProjectId;
  /** Where its files are, relative to the store. */
  readonly from: string;
  readonly root: RootEntry;
  readonly blobs: readonly BlobHash[];
  /** Those that Loom keeps in its own file. */
  readonly bookmarks: readonly Bookmark[];
}

/** Projects that are adopted in one change. */
const MOST = 64;

/**
 * Moves prepared projects into place. `roots.json` names all projects and is written as a whole: projects that are
 * ready at the same time share one new version, otherwise importing thousands would write it thousands of times.
 */
export function adoptTogether(base: Base): Gathering<Prepared> {
  return gather<Prepared>({
    carry: (prepared) => base.exclusively(() => adopt(base, prepared)),
    weigh: () => 1,
    capacity: MOST,
  });
}

async function adopt(base: Base, prepared: readonly Prepared[]): Promise<readonly (Error | null)[]> {
  const errors: (Error | null)[] = [];
  const fitting = new Map<ProjectId, Prepared>();
  for (const each of prepared) {
    const error = await problemWith(base, each, fitting);
    if (error === null) fitting.set(each.project, each);
    errors.push(error);
  }
  if (fitting.size === 0) return errors;
  // Otherwise the removal of an older project with this id, replayed after a crash, would remove the new one too.
  await base.files.checkpoint();
  const all = [...fitting.values()];
  const roots = [...base.roots, ...all.map(({ root }) => root)];
  const added = all.flatMap(({ bookmarks }) => bookmarks);
  await withBookmarks(base, { removed: () => false, added }, () =>
    base.files.commit([
      ...all.map(({ project, from }) => ({ type: 'adoptTree' as const, path: directoryOf(project), from })),
      { type: 'put', path: ROOTS_FILE, text: rootsText(roots) },
    ]),
  );
  // The files are read from their final place.
  await base.files.settle();
  const states = [];
  for (const { project, root } of all)
    states.push(await scanProject(base.directory, root, { directory: directoryOf(project) }));
  base.roots = roots;
  for (const [index, { project }] of all.entries()) {
    const state = states[index];
    if (state !== undefined) base.projects.set(project, state);
  }
  return errors;
}

/** Each is refused by itself. */
async function problemWith(
  base: Base,
  { project, blobs }: Prepared,
  others: ReadonlyMap<ProjectId, Prepared>,
): Promise<Error | null> {
  try {
    if (others.has(project))
      throw new ConflictError('id_taken', `There already is a project with the id "${project}".`, project);
    await requireFreePlace(base, project);
    await requireBlobs(base, null, blobs);
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error;
  }
}
