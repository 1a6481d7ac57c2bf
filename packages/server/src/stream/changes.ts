import type { ProjectId, TurnId } from '@bough/core';
import type { Store } from '@bough/store';

export interface ChangeLine {
  readonly type: 'changed';
  /** If nothing else changed: the turns that began or ended. */
  readonly turnIds?: readonly TurnId[];
}

/**
 * One line for every change of a project, from whichever server. Changes that come while the client is busy become one:
 * the line says that something changed, and reading shows what.
 */
export async function* watchChanges(
  store: Store,
  project: ProjectId,
  signal: AbortSignal,
): AsyncGenerator<readonly ChangeLine[], void> {
  // The first line stands for whatever happened before the client watched.
  let changed: ChangeLine | null = { type: 'changed' };
  let wake: (() => void) | null = null;
  const leave = store.subscribe((news) => {
    if (news.type !== 'changed' || news.projectId !== project) return;
    changed = withChange(changed, news.turnId);
    wake?.();
  });
  const woken = (): void => wake?.();
  signal.addEventListener('abort', woken);
  try {
    while (!signal.aborted) {
      if (changed !== null) {
        const line: ChangeLine = changed;
        changed = null;
        yield [line];
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

/** Two changes as one. If either may be anything, so may both. */
export function withChange(before: ChangeLine | null, turn: TurnId | undefined): ChangeLine {
  if (turn === undefined || (before !== null && before.turnIds === undefined)) return { type: 'changed' };
  return { type: 'changed', turnIds: [...new Set([...(before?.turnIds ?? []), turn])] };
}
