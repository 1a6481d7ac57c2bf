import type { ProjectId } from '@bough/core';
import type { Store } from '@bough/store';

/**
 * One line for every change of a project, from whichever server. Changes that come while the client is busy become one:
 * the line says that something changed, and reading shows what.
 */
export async function* watchChanges(
  store: Store,
  project: ProjectId,
  signal: AbortSignal,
): AsyncGenerator<readonly { readonly type: 'changed' }[], void> {
  let changed = true;
  let wake: (() => void) | null = null;
  const leave = store.subscribe((news) => {
    if (news.type !== 'changed' || news.projectId !== project) return;
    changed = true;
    wake?.();
  });
  const woken = (): void => wake?.();
  signal.addEventListener('abort', woken);
  try {
    while (!signal.aborted) {
      if (changed) {
        changed = false;
        yield [{ type: 'changed' }];
        continue;
      }
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
