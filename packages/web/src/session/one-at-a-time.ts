const waiting = new Map<string, Promise<void>>();
const last = new Map<string, Promise<void>>();

/**
 * Does work for a key, never twice at once: a call during the work is answered by one that begins after it, which all
 * calls of that time share. Two readings at once could arrive in the wrong order and leave the older on the screen.
 */
export function oneAtATime(key: string, work: () => Promise<void>): Promise<void> {
  const already = waiting.get(key);
  if (already !== undefined) return already;
  const isFirst = !last.has(key);
  const begun: Promise<void> = inTurn(key, () => {
    if (waiting.get(key) === begun) waiting.delete(key);
    return work();
  });
  if (!isFirst) waiting.set(key, begun);
  return begun;
}

/** Work for the same keys that nobody else's answers: it begins when everything before it has ended. */
export function inTurn(key: string, work: () => Promise<void>): Promise<void> {
  const before = last.get(key);
  const begun = (async () => {
    await before?.catch(() => undefined);
    await work();
  })();
  last.set(key, begun);
  void begun
    .catch(() => undefined)
    .finally(() => {
      if (last.get(key) === begun) last.delete(key);
    });
  return begun;
}

/** What reads the newest turns of a branch, or its end, in turn. */
export const branchKey = (projectId: string, branchId: string): string => `${projectId} ${branchId}`;
