import type { TurnNews, WatchLine } from '@bough/api';
import type { ProjectId, Turn, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Store } from '@bough/store';
import { withChange } from './changes.ts';
import type { ChangeLine } from './changes.ts';

/**
 * What happens anywhere, for a client that shows one project, or none: which turns are open, then a line for every
 * turn that begins, ends or waits for an approval, in whichever project and on whichever server; and the changes of
 * the project that is shown. One connection for both: a browser has only six for all its tabs.
 */
export async function* watchNews(
  store: Store,
  project: ProjectId | null,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchLine[], void> {
  // The first line stands for whatever happened before the client watched.
  let changed: ChangeLine | null = project === null ? null : { type: 'changed' };
  const moved = new Map<TurnId, ProjectId>();
  let wake: (() => void) | null = null;
  const leave = store.subscribe((news) => {
    if (news.type !== 'changed') return;
    if (news.turnId !== undefined) moved.set(news.turnId, news.projectId);
    if (news.projectId === project) changed = withChange(changed, news.turnId);
    wake?.();
  });
  const woken = (): void => wake?.();
  signal.addEventListener('abort', woken);
  try {
    const open = await Promise.all((await store.openTurns()).map((turn) => newsOf(store, turn)));
    yield [{ type: 'open', turns: open.filter((turn) => turn !== null) }];
    while (!signal.aborted) {
      const lines: WatchLine[] = changed === null ? [] : [changed];
      changed = null;
      const turns = [...moved];
      moved.clear();
      for (const [turn, of] of turns) {
        const news = await readNews(store, of, turn);
        if (news !== null) lines.push({ type: 'turn', ...news });
      }
      if (lines.length > 0) {
        yield lines;
        continue;
      }
      // Something may have been heard while the turns were read.
      if (changed !== null || moved.size > 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = null;
    }
  } finally {
    signal.removeEventListener('abort', woken);
    leave();
  }
}

/** Null for a turn that was deleted meanwhile. */
async function readNews(store: Store, project: ProjectId, turn: TurnId): Promise<TurnNews | null> {
  try {
    return await newsOf(store, await store.getTurn(project, turn));
  } catch (error) {
    if (error instanceof UnknownIdError) return null;
    throw error;
  }
}

async function newsOf(store: Store, { projectId, branchId, id, status }: Turn): Promise<TurnNews | null> {
  if (branchId === null) return null;
  try {
    const [project, branch] = await Promise.all([store.getProject(projectId), store.getBranch(projectId, branchId)]);
    return { projectId, projectName: project.name, branchId, branch: branch.name, turnId: id, status };
  } catch (error) {
    if (error instanceof UnknownIdError) return null;
    throw error;
  }
}
