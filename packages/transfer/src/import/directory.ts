import type { Envelope } from '@bough/core';
import { researchTreeSpace } from '@bough/core';
import type { GitStore } from '@bough/store';
import { openGitStore } from '@bough/store';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backfilled } from './backfilled.ts';
import type { Found } from './found.ts';
import { readLoom } from './loom.ts';
import { renamed } from './rename.ts';
import { copyRepositories } from './repositories.ts';
import { leftWhole, problemOf } from './unreadable.ts';

export type DirectoryKind = 'loom' | 'research-tree' | 'research-trees';

/** Loom keeps a list of its roots; ResearchTree has a repository per project, alone or several in one directory. */
export async function kindOfDirectory(path: string): Promise<DirectoryKind | null> {
  if (await exists(join(path, 'roots.json'))) return 'loom';
  if (await exists(join(path, '.git'))) return 'research-tree';
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory() && (await exists(join(path, entry.name, '.git')))) return 'research-trees';
  }
  return null;
}

export async function* readDirectory(
  path: string,
  kind: DirectoryKind,
  envelope: Envelope,
): AsyncGenerator<Found, void> {
  if (kind === 'loom') yield* readLoom(path, envelope);
  else yield* readRepositories(path, kind, envelope);
}

/**
 * Reads a copy: opening a store takes a lock in it and may finish what a crash left behind, and the original is not
 * ours to touch.
 */
async function* readRepositories(
  path: string,
  kind: 'research-tree' | 'research-trees',
  envelope: Envelope,
): AsyncGenerator<Found, void> {
  const copy = await mkdtemp(join(tmpdir(), 'bough-import-'));
  try {
    yield* copyRepositories(path, kind, copy);
    const store = await openGitStore({ directory: copy, defaults: envelope });
    try {
      yield* projectsOf(store, envelope, (text) => text.replaceAll(copy, path));
    } finally {
      await store.close();
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function* projectsOf(
  store: GitStore,
  envelope: Envelope,
  readable: (text: string) => string,
): AsyncGenerator<Found, void> {
  const projects = await store.listProjects();
  for (const { subject, message } of store.problems())
    yield problemOf({ subject: readable(subject), message: readable(message) });
  for (const project of projects) {
    const unreadable = store.problems().filter(({ subject }) => subject.includes(`/${project.id}/`));
    if (unreadable.length > 0) {
      yield leftWhole(project.name, unreadable.length);
      continue;
    }
    const space = researchTreeSpace(project.id, project.createdAt);
    yield {
      type: 'project',
      format: 'research-tree',
      title: project.name,
      records: backfilled(renamed(store.exportProject(project.id), space, envelope)),
      held: null,
      files: (hash) => store.blobs.read(project.id, hash),
      leftOut: [],
      problems: [],
    };
  }
}

/** A link counts as existing: the reader will then report it as a link. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
