import type { AnnotationView } from '@bough/api/client';

/** So many messages are asked about at once: a long conversation with many questions is not read as a whole. */
export const MESSAGES_PER_REQUEST = 20;

/**
 * The requests that tell the questions about some messages: none where nothing was asked about them. Those of one
 * project are always cut alike, so that two replies beside each other wait for the same request.
 */
export function questionRequests(
  annotations: readonly AnnotationView[],
  nodeIds: readonly string[],
): readonly (readonly string[])[] {
  const asked = annotations.filter(({ kind }) => kind === 'question').toSorted(oldestFirst);
  const messages = [...new Set(asked.map(({ nodeId }) => nodeId))];
  const requests: string[][] = [];
  for (let at = 0; at < messages.length; at += MESSAGES_PER_REQUEST)
    requests.push(messages.slice(at, at + MESSAGES_PER_REQUEST));
  return requests.filter((request) => request.some((id) => nodeIds.includes(id)));
}

function oldestFirst(a: AnnotationView, b: AnnotationView): number {
  const [before, after] = [`${a.changedAt} ${a.name}`, `${b.changedAt} ${b.name}`];
  return before === after ? 0 : before < after ? -1 : 1;
}
