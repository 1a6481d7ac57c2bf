import type { Annotation, AnnotationKind, Lexeme, NodeId, ProjectId, TreeNode } from '@bough/core';
import { candidatesOf, nodeLexemes, readQuestion } from '@bough/core';
import type { Place } from './page.ts';
import { inSearchOrder } from './page.ts';
import type { Candidate, Scope, SearchNeeds } from './run.ts';

/** What of an annotation has words to be found by. */
const WITH_WORDS: readonly AnnotationKind[] = ['note', 'bookmark', 'verdict', 'question'];

/**
 * Messages that something is kept beside, which are few: no index is asked. For `note` they are looked for by the words
 * of their notes, for `node` by their own.
 */
export async function annotated(
  store: SearchNeeds,
  scope: Scope,
  kind: 'node' | 'note',
  after: Place | null,
  limit: number,
): Promise<readonly Candidate[]> {
  const { beside } = scope.query.filters;
  const found: Candidate[] = [];
  for (const [project, nodes] of await byProject(store, scope, kind === 'note' ? WITH_WORDS : (beside ?? []))) {
    const wanted = [...nodes.keys()].filter((id) => hasAll(nodes.get(id) ?? [], kind === 'note' ? [] : (beside ?? [])));
    for (const node of await fitting(store, scope, project, wanted)) {
      const given = (nodes.get(node.id) ?? []).filter((one) => WITH_WORDS.includes(one.kind));
      const words = given.flatMap(wordsOf).filter((text) => text !== '');
      if (kind === 'note' && words.length === 0) continue;
      const { id, projectId, createdAt } = node;
      const candidate = { kind: 'node', id, projectId, createdAt, node } as const;
      found.push(kind === 'note' ? { ...candidate, names: words, byNote: true } : { ...candidate, names: [] });
    }
  }
  return found
    .filter((one) => after === null || inSearchOrder(one, after) > 0)
    .sort(inSearchOrder)
    .slice(0, limit);
}

function wordsOf({ kind, name, text }: Annotation): readonly string[] {
  if (kind === 'bookmark') return [name];
  if (kind !== 'question') return [text];
  const asked = readQuestion(text);
  return asked === null ? [] : [asked.question, asked.quote];
}

type Beside = Map<NodeId, Annotation[]>;

/** Every annotation of the nodes that have one of these kinds, and all kinds that the query asks for. */
async function byProject(
  store: SearchNeeds,
  { query, projects }: Scope,
  kinds: readonly AnnotationKind[],
): Promise<ReadonlyMap<ProjectId, Beside>> {
  const asked = query.filters.beside ?? [];
  const wanted = [...new Set([...kinds, ...asked])];
  const lists =
    projects === null
      ? [await store.annotations({ kinds: wanted })]
      : await Promise.all(projects.map((projectId) => store.annotations({ projectId, kinds: wanted })));
  const found = new Map<ProjectId, Beside>();
  for (const annotation of lists.flat()) {
    const nodes: Beside = found.get(annotation.projectId) ?? new Map<NodeId, Annotation[]>();
    found.set(annotation.projectId, nodes);
    nodes.set(annotation.nodeId, [...(nodes.get(annotation.nodeId) ?? []), annotation]);
  }
  await forgetDeleted(store, found);
  for (const nodes of found.values())
    for (const [id, annotations] of nodes) if (!hasAll(annotations, asked)) nodes.delete(id);
  return found;
}

/** Questions whose branches are in the trash. */
async function forgetDeleted(store: SearchNeeds, found: ReadonlyMap<ProjectId, Beside>): Promise<void> {
  for (const [project, nodes] of found) {
    if (![...nodes.values()].flat().some(({ kind }) => kind === 'question')) continue;
    const there = new Set<string>((await store.listBranches(project)).map(({ id }) => id));
    for (const [id, annotations] of nodes)
      nodes.set(
        id,
        annotations.filter(({ kind, name }) => kind !== 'question' || there.has(name)),
      );
  }
}

const hasAll = (annotations: readonly Annotation[], kinds: readonly AnnotationKind[]): boolean =>
  kinds.every((kind) => annotations.some((one) => one.kind === kind));

/** Those of the nodes that the filters let through. */
async function fitting(
  store: SearchNeeds,
  { query, branch }: Scope,
  project: ProjectId,
  ids: readonly NodeId[],
): Promise<readonly TreeNode[]> {
  const on = branch === null ? null : await onBranch(store, project, branch);
  const nodes = await store.getNodes(
    project,
    ids.filter((id) => on?.has(id) ?? true),
  );
  const { from, to } = query.filters;
  const { told } = candidatesOf(query);
  return nodes.filter((node) => {
    if ((from !== undefined && node.createdAt < from) || (to !== undefined && node.createdAt >= to)) return false;
    const lexemes = nodeLexemes(node, []);
    const has = ({ text, prefix }: Lexeme): boolean =>
      lexemes.some((lexeme) => (prefix ? lexeme.startsWith(text) : lexeme === text));
    return told.every((group) => group.some(has));
  });
}

async function onBranch(store: SearchNeeds, project: ProjectId, branch: string): Promise<ReadonlySet<NodeId>> {
  const { tipId } = await store.getBranch(project, branch);
  return new Set(tipId === null ? [] : (await store.path(project, tipId)).map(({ id }) => id));
}
