import type { Annotation, AnnotationKey, NodeId, ProjectId, Verdict } from '@bough/core';
import { BoughError } from '@bough/core';
import type { Store } from '@bough/store';
import type { Environment } from '../environment.ts';

/** What changes beside one message; what is absent stays. */
export interface NodeAnnotations {
  readonly star?: boolean | undefined;
  /** Null, or nothing but spaces, takes it away. */
  readonly note?: string | null | undefined;
  readonly addBookmark?: string | undefined;
  readonly removeBookmark?: string | undefined;
  /** Null takes it away. */
  readonly mark?: 'good' | 'bad' | null | undefined;
  readonly reason?: string | undefined;
  /** Whoever marked it did not see which model said it. */
  readonly blind?: boolean | undefined;
}

/** Returns everything that is beside the message now. */
export async function annotateNode(
  env: Environment,
  projectId: ProjectId,
  nodeId: NodeId,
  change: NodeAnnotations,
): Promise<readonly Annotation[]> {
  const [node] = await env.store.getNodes(projectId, [nodeId]);
  const put: Annotation[] = [];
  const remove: AnnotationKey[] = [];
  const made = { projectId, nodeId, changedAt: env.now().toISOString() };
  const { star, note, addBookmark, removeBookmark, mark, reason = '', blind = false } = change;
  if (star === true) put.push({ ...made, kind: 'star', name: '', text: '' });
  if (star === false) remove.push({ nodeId, kind: 'star', name: '' });
  if (note !== undefined && note !== null && note.trim() !== '')
    put.push({ ...made, kind: 'note', name: '', text: note });
  else if (note !== undefined) remove.push({ nodeId, kind: 'note', name: '' });
  if (addBookmark !== undefined) put.push({ ...made, kind: 'bookmark', name: addBookmark.trim(), text: '' });
  if (removeBookmark !== undefined) remove.push({ nodeId, kind: 'bookmark', name: removeBookmark });
  if (mark !== undefined && mark !== null && node?.role !== 'assistant')
    throw new BoughError('not_a_reply', 'Only replies of models are judged; this message is none.');
  if (mark === null) remove.push({ nodeId, kind: 'verdict', name: '' });
  else if (mark !== undefined)
    put.push({ ...made, kind: 'verdict', name: '', text: reason, verdict: mark, ...(blind ? { blind } : {}) });
  await env.store.annotate(projectId, { put, remove });
  await env.store.publish({ type: 'changed', projectId });
  return env.store.annotations({ projectId, nodes: [nodeId] });
}

export interface Comparison {
  /** Replies to the same message. */
  readonly nodes: readonly NodeId[];
  /** Those that are better than the others; all of them: they are tied. */
  readonly best: readonly NodeId[];
  readonly reason?: string | undefined;
  /** Whoever judged did not see which model said what. */
  readonly blind?: boolean | undefined;
}

/**
 * Keeps the outcome of a comparison beside each of the replies, so that it goes where they go. Judging the same replies
 * again replaces what was judged before: one person does not vote twice.
 */
export async function judge(
  env: Environment,
  projectId: ProjectId,
  { nodes, best, reason = '', blind = false }: Comparison,
): Promise<{ readonly comparison: string; readonly annotations: readonly Annotation[] }> {
  const ids = [...new Set(nodes)].sort();
  const winners = new Set(best);
  if (ids.length < 2) throw new BoughError('too_few_to_compare', 'A comparison needs at least two replies.');
  if (winners.size === 0 || [...winners].some((id) => !ids.includes(id)))
    throw new BoughError('invalid_verdict', 'The better ones must be among the replies that are compared.');
  const found = await env.store.getNodes(projectId, ids);
  const [first] = found;
  if (found.some(({ role }) => role !== 'assistant'))
    throw new BoughError('not_a_reply', 'Only replies of models are judged; one of these messages is none.');
  if (found.some(({ parentId }) => parentId !== first?.parentId))
    throw new BoughError(
      'not_siblings',
      'Only replies to the same message can be compared: these have different ones.',
    );
  const isTie = winners.size === ids.length;
  const comparison = await comparisonOf(env.store, projectId, ids, () => env.ids.item());
  const changedAt = env.now().toISOString();
  const put = ids.map((nodeId): Annotation => {
    const won = winners.has(nodeId);
    const verdict: Verdict = isTie ? 'tied' : won ? 'better' : 'worse';
    // The reason is told once, beside what it speaks for.
    const text = won ? reason : '';
    const kept = { projectId, nodeId, kind: 'verdict', name: comparison, text, changedAt, verdict } as const;
    return blind ? { ...kept, blind: true } : kept;
  });
  await env.store.annotate(projectId, { put, remove: [] });
  await env.store.publish({ type: 'changed', projectId });
  return { comparison, annotations: put };
}

/** The comparison of exactly these replies, if there was one. */
async function comparisonOf(
  store: Store,
  projectId: ProjectId,
  ids: readonly NodeId[],
  fresh: () => string,
): Promise<string> {
  const [first] = ids;
  const given = await store.annotations({ projectId, kinds: ['verdict'] });
  for (const { name, nodeId } of given) {
    if (name === '' || nodeId !== first) continue;
    const members = given.filter((one) => one.name === name).map((one) => one.nodeId);
    if (members.length === ids.length && members.every((id) => ids.includes(id))) return name;
  }
  return fresh();
}
