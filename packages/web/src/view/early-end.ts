import type { CallView, MessageGroupView } from '@bough/api/client';

export type EarlyEnd = NonNullable<CallView['endedBy']> | 'empty';

/** Why a reply that looks complete is not the whole answer; null if it is one. */
export function earlyEndOf({
  status,
  reply,
  calls,
}: Pick<MessageGroupView, 'status' | 'reply' | 'calls'>): EarlyEnd | null {
  if (status !== 'complete') return null;
  const endedBy = calls.at(-1)?.endedBy;
  if (endedBy !== undefined) return endedBy;
  const last = reply.findLast((node) => node.role === 'assistant');
  return calls.length > 0 && last !== undefined && !last.isError && last.content.trim() === '' ? 'empty' : null;
}
