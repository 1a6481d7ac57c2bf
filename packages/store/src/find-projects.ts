import type { Branch, BranchId, NodeId, Project } from '@bough/core';
import type {
  BranchFacts,
  GraphNode,
  ListedProject,
  ProjectFolder,
  ProjectPage,
  ProjectPatch,
  ProjectQuery,
} from './store.ts';

/** What decides which page a project is on. */
export type Listing = Pick<ListedProject, 'id' | 'name' | 'archived' | 'pinned' | 'folder' | 'lastUsedAt' | 'recorded'>;

interface FoundPage<Listed> extends Pick<ProjectPage, 'total' | 'folders'> {
  readonly projects: readonly Listed[];
}

/** One page of projects, the last used first; `stored` is in the order of storage, which decides between equals. */
export function pageOfProjects<Listed extends Listing>(
  stored: readonly Listed[],
  query: ProjectQuery,
): FoundPage<Listed> {
  const { archived, pinned, folder, recorded, offset, limit } = query;
  const listed = stored.filter((project) => archived === undefined || project.archived === archived);
  const found = listed
    .filter((project) => pinned === undefined || (project.pinned ?? false) === pinned)
    .filter((project) => folder === undefined || (project.folder ?? null) === folder)
    .filter((project) => recorded === undefined || project.recorded)
    .filter(({ id, name }) => isNamed(name, query) && id.startsWith(query.id ?? ''))
    .reverse()
    .sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : a.lastUsedAt > b.lastUsedAt ? -1 : 0));
  return { projects: found.slice(offset, offset + limit), total: found.length, folders: foldersOf(listed) };
}

function foldersOf(listed: readonly Listing[]): readonly ProjectFolder[] {
  const unpinned = new Map<string, number>();
  for (const { folder, pinned } of listed)
    if (folder !== undefined) unpinned.set(folder, (unpinned.get(folder) ?? 0) + (pinned === true ? 0 : 1));
  return [...unpinned].map(([name, count]) => ({ name, unpinned: count })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function isNamed(name: string, query: Pick<ProjectQuery, 'name'>): boolean {
  return query.name === undefined || name.toLowerCase().includes(query.name.toLowerCase());
}

type KnownNode = Pick<GraphNode, 'createdAt' | 'createdOnBranch'>;

/** For stores that have the nodes without their content in memory. */
export function factsOfBranch(
  branch: Pick<Branch, 'createdAt' | 'tipId' | 'forkedFromId'>,
  find: (id: NodeId) => KnownNode | undefined,
): BranchFacts {
  const tip = branch.tipId === null ? undefined : find(branch.tipId);
  const fork = branch.forkedFromId === null ? undefined : find(branch.forkedFromId);
  return { lastUsedAt: later(branch.createdAt, tip?.createdAt), forkedOn: fork?.createdOnBranch ?? null };
}

/** A project is used when one of its branches is. */
export function projectUse(
  { createdAt }: Pick<Project, 'createdAt'>,
  facts: Readonly<Record<BranchId, BranchFacts>>,
): string {
  return Object.values<BranchFacts>(facts).reduce((last, { lastUsedAt }) => later(last, lastUsedAt), createdAt);
}

function later(a: string, b: string | undefined): string {
  return b !== undefined && b > a ? b : a;
}

/** The project as a patch leaves it: what is absent when it is off must not be stored as off. */
export function patchedProject(project: Project, { pinned, folder, ...fields }: ProjectPatch): Project {
  const { pinned: wasPinned, folder: wasIn, createdAt, ...others } = { ...project, ...fields };
  return {
    ...others,
    ...pinnedAndFolder(pinned ?? wasPinned === true, folder === undefined ? (wasIn ?? null) : folder),
    createdAt,
  };
}

export function pinnedAndFolder(pinned: boolean, folder: string | null): Pick<Project, 'pinned' | 'folder'> {
  return { ...(pinned ? { pinned: true } : {}), ...(folder === null ? {} : { folder }) };
}

/** The project as it is stored. */
export function withoutUse(listed: ListedProject): Project {
  const { lastUsedAt: _, recorded: __, ...project } = listed;
  return project;
}
