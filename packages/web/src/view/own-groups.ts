import type { MessageGroupView } from '@bough/api/client';

/**
 * The turns of a branch that are not entirely shared with another one. A turn whose message is shared and whose reply
 * is not counts as own: that is where two answers to one question appear side by side. `reachesFork` says whether the
 * loaded turns go back far enough.
 */
export function ownGroups(
  groups: readonly MessageGroupView[],
  shared: ReadonlySet<string>,
): { readonly groups: readonly MessageGroupView[]; readonly reachesFork: boolean } {
  const nodesOf = ({ user, reply }: MessageGroupView) => (user === null ? reply : [user, ...reply]);
  const isOwn = (group: MessageGroupView): boolean => nodesOf(group).some((node) => !shared.has(node.id));
  return {
    groups: groups.filter(isOwn),
    reachesFork: groups.some((group) => nodesOf(group).some((node) => shared.has(node.id))),
  };
}
