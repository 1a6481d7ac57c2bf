import type { ContextItem, NodeId } from '@bough/core';
import { isAssistantMessage } from '@bough/core';
import type { PreparedRequest, RenderInput } from '../../../protocol.ts';
import type { BroughtFiles } from '../../../render/container-files.ts';
import { broughtBefore, filesInsteadOf, newFiles, withReply } from '../../../render/container-files.ts';
import type { ServerTools } from './stored-replies.ts';

/** Files that messages bring for the container of the code. */
export interface Uploads {
  /** The files in the message of an item. */
  readonly of: (item: ContextItem) => readonly string[];
  /** Whether any message brings some. */
  readonly any: boolean;
  /** Whether the newest message may bring some. */
  readonly possible: boolean;
  readonly renderings: PreparedRequest['renderings'];
  readonly withReply: PreparedRequest['withReply'];
}

const NONE: Uploads = { of: () => [], any: false, possible: false, renderings: [], withReply: undefined };

/**
 * Each reply is sent behind the files that it was made behind. Where the newest container is gone and nothing was
 * brought since, the newest message brings them: nothing before it changes.
 */
export function uploadsOf(
  input: RenderInput,
  { gone, waits }: Pick<ServerTools, 'gone' | 'waits'>,
  runsCode: boolean,
  keys: string,
): Uploads {
  if (!runsCode || input.mayBringFiles === false) return NONE;
  const { items } = input;
  const before = items.flatMap(({ message, nodeIds: [nodeId] }, at): readonly (BroughtFiles & { at: number })[] => {
    const brought = isAssistantMessage(message) ? broughtBefore(nodeId, keys, input) : null;
    return brought === null ? [] : [{ ...brought, at }];
  });
  const last = items.at(-1);
  const possible = last !== undefined && (last.message.role === 'user' || last.message.role === 'tool') && !waits;
  const since = items.findIndex(({ nodeIds }) => gone !== null && nodeIds.includes(gone));
  const isDue =
    gone !== null && possible && (input.containerFiles !== undefined || !before.some(({ at }) => at > since));
  const ids = isDue ? filesInsteadOf(gone, keys, input) : [];
  const now = isDue && ids.length > 0 ? { nodeId: last.nodeIds[0], ids } : null;
  const filesOf = new Map<NodeId, readonly string[]>();
  for (const { nodeId, ids: brought } of [...before, ...(now === null ? [] : [now])]) filesOf.set(nodeId, brought);
  return {
    of: ({ nodeIds, message }) =>
      isAssistantMessage(message) ? [] : nodeIds.flatMap((nodeId) => filesOf.get(nodeId) ?? []),
    any: filesOf.size > 0,
    possible,
    renderings: gone === null || now === null ? [] : newFiles(gone, keys, input),
    withReply: now === null ? undefined : withReply(now, keys),
  };
}
