import type { Branch, BranchId, ProjectId, TreeNode } from '@bough/core';
import { projectId as toProjectId, UnknownIdError } from '@bough/core';
import type { Store } from '@bough/store';
import type { Client } from '../clients/index.ts';
import { sessionProject } from '../clients/index.ts';
import type { Found } from '../record/place.ts';
import { FIRST_BRANCH } from '../record/place.ts';
import { portionsOf } from '../record/trail.ts';
import type { Said } from '../record/trail.ts';

/** What was found for a request, and the project that it belongs to. */
export interface Whereabouts extends Found {
  /** Null: a new one, of no session. */
  readonly project: ProjectId | null;
  readonly isNewProject: boolean;
}

export interface Sought {
  readonly said: readonly Said[];
  /** The trail of the response that the request continues, if it does. */
  readonly start: string | null;
  readonly client: Client;
  /** The project that the client asked for. */
  readonly project: ProjectId | null;
  /** The same history as the other has it: an agent without a session talks with tools, and asks in passing without. */
  readonly besides: readonly Pick<Said, 'trail'>[];
  /** Where the conversation was last, as far as this process knows. */
  readonly likely: { readonly project: ProjectId; readonly branch: BranchId } | null;
}

/** One look-up for the history, one for the branch. More is read only where the client left the stored path. */
export async function find(
  store: Store,
  { said, start, client, project, besides, likely }: Sought,
): Promise<Whereabouts> {
  // Both at once: if the history turns out to lie on another branch, that one is read then.
  const ahead = likely === null ? null : orNull(store.getBranch(likely.project, likely.branch));
  ahead?.catch(() => undefined);
  const matched = await longest(store, said, start, project);
  if (matched !== null) {
    const { projectId, createdOnBranch } = matched;
    const isThere = likely !== null && likely.project === projectId && likely.branch === createdOnBranch;
    const branch = isThere ? await ahead : await branchOf(store, matched);
    const lastTurn = branch === null ? [] : await lastTurnOf(store, branch, matched);
    return { project: projectId, isNewProject: false, matched, branch, lastTurn, main: null };
  }
  const nothing = { matched, branch: null, lastTurn: [], main: null };
  // An unknown project is the client's mistake, and told.
  if (project !== null) return { ...nothing, project: (await store.getProject(project)).id, isNewProject: false };
  const own = sessionProject(client);
  if (own === null) {
    const about = besides.length === 0 ? null : await longest(store, besides, null, null);
    const branch = about === null ? null : await branchOf(store, about);
    // What was asked in passing came first: the conversation itself begins now.
    const main = branch?.recorded?.kind === 'aside' ? null : branch;
    return { ...nothing, project: about?.projectId ?? null, isNewProject: about === null, main };
  }
  const id = toProjectId(own);
  const isNewProject = (await orNull(store.getProject(id))) === null;
  const main = isNewProject ? null : await orNull(store.getBranch(id, FIRST_BRANCH));
  return { ...nothing, project: id, isNewProject, main };
}

async function longest(
  store: Store,
  said: readonly Pick<Said, 'trail'>[],
  start: string | null,
  project: ProjectId | null,
): Promise<TreeNode | null> {
  for (const trails of portionsOf(said, start)) {
    const node = await store.findTrail(trails, project ?? undefined);
    if (node !== null) return node;
  }
  return null;
}

async function branchOf(store: Store, { projectId, createdOnBranch }: TreeNode): Promise<Branch | null> {
  return createdOnBranch === null ? null : orNull(store.getBranch(projectId, createdOnBranch));
}

async function lastTurnOf(store: Store, { tipId }: Branch, matched: TreeNode): Promise<readonly TreeNode[]> {
  if (tipId === null || tipId === matched.id) return [];
  const [tip] = await store.getNodes(matched.projectId, [tipId]);
  if (tip === undefined) return [];
  return tip.turnId === null ? [tip] : store.nodesOfTurn(matched.projectId, tip.turnId);
}

/** Null where what was asked for does not exist. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof UnknownIdError) return null;
    throw error;
  }
}
