import type { CanvasVersion, NodeId, ProjectId, TreeNode } from '@bough/core';
import { canvasAt } from '@bough/core';
import type { Environment } from '../environment.ts';
import { artefactOf } from './artefact.ts';

/** A canvas as it is read. One that another program kept beside the project is named by no node. */
export type CurrentCanvas = Omit<CanvasVersion, 'nodeId'> & { readonly nodeId: NodeId | null };

/** The version that counts at the end of a path; without one, or where it wrote on since, what ResearchTree keeps. */
export async function canvasOf(
  env: Environment,
  projectId: ProjectId,
  path: readonly TreeNode[],
): Promise<CurrentCanvas | null> {
  const version = canvasAt(path);
  const documents = await env.store.foreignDocuments(projectId);
  if (documents.length === 0) return version;
  return artefactOf(await env.store.getProject(projectId), path, documents, version?.nodeId) ?? version;
}

export async function pathTo(env: Environment, projectId: ProjectId, tip: NodeId | null): Promise<readonly TreeNode[]> {
  return tip === null ? [] : env.store.path(projectId, tip);
}
