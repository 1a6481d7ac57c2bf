import type { Annotation, NodeId, ProjectId } from '@bough/core';
import { inAnnotationOrder, isAnnotation, nodeId } from '@bough/core';
import { corrupt, readJson, writeJson } from '../meta/records.ts';
import type { ProjectState } from '../project/state.ts';
import type { Repository } from '../repository/repository.ts';
import type { LoadedTree } from '../tree/load.ts';
import { readStars, STARS_REF } from './stars-file.ts';

/** `annotations/<node>.json` */
export interface AnnotationsFile {
  readonly nodeId: NodeId;
  readonly annotations: readonly Annotation[];
}

export function writeAnnotations(id: NodeId, annotations: readonly Annotation[]): Buffer {
  const inOrder = annotations.toSorted(inAnnotationOrder);
  // Neither the project nor the node is repeated with each of them.
  return writeJson({
    nodeId: id,
    annotations: inOrder.map(({ projectId: _project, nodeId: _node, ...fields }) => fields),
  });
}

export function readAnnotations(bytes: Buffer, subject: string): AnnotationsFile {
  const { nodeId: id, annotations } = readJson(bytes, subject);
  if (typeof id !== 'string' || !Array.isArray(annotations)) throw corrupt(subject, 'lacks nodeId or annotations');
  const read = annotations.map((fields: unknown) => ({
    ...(typeof fields === 'object' ? fields : {}),
    projectId: '',
    nodeId: id,
  }));
  if (!read.every(isAnnotation)) throw corrupt(subject, 'holds something that is no annotation');
  return { nodeId: nodeId(id), annotations: read };
}

/**
 * What is kept beside each node. Where ResearchTree keeps its stars, its file decides which nodes are starred: it may
 * have starred one since, or taken a star back.
 */
export async function annotationsOf(
  repository: Repository,
  { index, heads }: Pick<LoadedTree, 'index' | 'heads'>,
  project: ProjectId,
  files: readonly AnnotationsFile[],
): Promise<Map<NodeId, readonly Annotation[]>> {
  const beside = new Map<NodeId, readonly Annotation[]>(files.map((file) => [file.nodeId, file.annotations]));
  const stars = await readStars(repository, heads.get(STARS_REF)?.tree);
  if (stars === null) return beside;
  const starred = new Set(stars.ids);
  for (const [id, annotations] of beside)
    if (!starred.has(id))
      setOrForget(
        beside,
        id,
        annotations.filter(({ kind }) => kind !== 'star'),
      );
  for (const id of starred) {
    const node = index.find(nodeId(id));
    const there = beside.get(nodeId(id)) ?? [];
    if (node === undefined || there.some(({ kind }) => kind === 'star')) continue;
    // Its file has no times.
    const star = { projectId: project, nodeId: node.id, kind: 'star', name: '', text: '' } as const;
    beside.set(node.id, [...there, { ...star, changedAt: node.createdAt }]);
  }
  return beside;
}

export function setOrForget(
  beside: Map<NodeId, readonly Annotation[]>,
  id: NodeId,
  annotations: readonly Annotation[],
): void {
  if (annotations.length > 0) beside.set(id, annotations);
  else beside.delete(id);
}

/** What is beside nodes that exist. */
export function allAnnotations({ annotations, index, project }: ProjectState): readonly Annotation[] {
  return [...annotations].flatMap(([id, beside]) =>
    index.find(id) === undefined ? [] : beside.map((one) => ({ ...one, projectId: project.id })),
  );
}
