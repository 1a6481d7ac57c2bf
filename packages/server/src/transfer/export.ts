import type { ProjectId } from '@bough/core';
import type { Engine, History } from '@bough/engine';
import type { DocumentInput } from '@bough/transfer';

const PAGE = 100;

/** A whole branch, page by page, oldest first. */
export async function wholeBranch(
  engine: Engine,
  project: ProjectId,
  ref: string,
): Promise<Pick<History, 'branch'> & Pick<DocumentInput, 'groups'>> {
  let page = await engine.history(project, { ref, limit: PAGE });
  const groups = [page.groups];
  while (page.hasMore && page.firstNodeId !== null) {
    page = await engine.history(project, { ref, limit: PAGE, before: page.firstNodeId });
    groups.unshift(page.groups);
  }
  return { branch: page.branch, groups: groups.flat() };
}

/** A name for a file that every system takes. */
export function fileNameOf(title: string): string {
  const plain = title
    .replaceAll(/[\p{Cc}\p{Cs}"*/:<>?\\|]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '');
  // Half a character would have no place in a header.
  return (
    plain
      .slice(0, 80)
      .replace(/\p{Cs}$/u, '')
      .trim() || 'project'
  );
}

/** As a download; the second form is for names with letters beyond ASCII. */
export function attachment(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]+/g, '_').replaceAll(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
