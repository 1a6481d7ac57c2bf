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
  const lastShared = (group: MessageGroupView): number => nodesOf(group).findLastIndex(({ id }) => shared.has(id));
  const fork = groups.findLastIndex((group) => lastShared(group) >= 0);
  // Everything before a shared message is shared, too: of a long conversation only the last of them may be known.
  const isOwn = (group: MessageGroupView): boolean => lastShared(group) < nodesOf(group).length - 1;
  return {
    groups: groups.filter((group, index) => index > fork || (index === fork && isOwn(group))),
    reachesFork: fork >= 0,
  };
}
