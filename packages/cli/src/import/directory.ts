import type { Envelope } from '@bough/core';
import type { Store, StoreError } from '@bough/store';
import { openFilesStore, openGitStore } from '@bough/store';
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backfilled } from './backfilled.ts';
import type { Found } from './found.ts';
import { renamed } from './rename.ts';
import { copyRepositories } from './repositories.ts';

export type DirectoryKind = 'loom' | 'research-tree' | 'research-trees';

/** Loom keeps a list of its roots; ResearchTree a repository per project, alone or side by side. */
export async function kindOfDirectory(path: string): Promise<DirectoryKind | null> {
  if (await exists(join(path, 'roots.json'))) return 'loom';
  if (await exists(join(path, '.git'))) return 'research-tree';
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory() && (await exists(join(path, entry.name, '.git')))) return 'research-trees';
  }
  return null;
}

/** Reads a copy: opening a store takes a lock in it and may finish what a crash left behind, and the original is not ours to touch. */
export async function* readDirectory(
  path: string,
  kind: DirectoryKind,
  envelope: Envelope,
): AsyncGenerator<Found, void> {
  const copy = await mkdtemp(join(tmpdir(), 'bough-import-'));
  try {
    if (kind === 'loom') await cp(path, copy, { recursive: true });
    else yield* copyRepositories(path, kind, copy);
    const store: Store & { readonly problems: () => readonly StoreError[] } =
      kind === 'loom'
        ? await openFilesStore({ directory: copy })
        : await openGitStore({ directory: copy, defaults: envelope });
    try {
      yield* projectsOf(store, kind === 'loom' ? 'loom' : 'research-tree', envelope, (text) =>
        text.replaceAll(copy, path),
      );
    } finally {
      await store.close();
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function* projectsOf(
  store: Store & { readonly problems: () => readonly StoreError[] },
  format: 'loom' | 'research-tree',
  envelope: Envelope,
  readable: (text: string) => string,
): AsyncGenerator<Found, void> {
  const projects = await store.listProjects();
  for (const problem of store.problems()) {
    yield { type: 'problem', problem: { where: readable(problem.subject), message: readable(problem.message) } };
  }
  for (const project of projects) {
    // A project with a file that cannot be read is not exported: half a tree would look like a whole one.
    if (store.problems().some(({ subject }) => subject.includes(`/${project.id}/`))) continue;
    const space = `${format} ${project.id} ${project.createdAt}`;
    yield {
      type: 'project',
      format,
      title: project.name,
      records: backfilled(renamed(store.exportProject(project.id), space, envelope)),
      leftOut: [],
      problems: [],
    };
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
