import type { Client, HistoryView, MessageGroupView } from '@bough/api';

/** A whole branch, page by page, oldest first. */
export async function wholeHistory(
  client: Client,
  project: string,
  ref: string,
): Promise<{ readonly branch: HistoryView['branch']; readonly groups: readonly MessageGroupView[] }> {
  const limit = 100;
  let page = await client.history(project, { ref, limit });
  const groups = [page.groups];
  while (page.hasMore && page.firstNodeId !== null) {
    page = await client.history(project, { ref, limit, before: page.firstNodeId });
    groups.unshift(page.groups);
  }
  return { branch: page.branch, groups: groups.flat() };
}
