import type { BranchView } from '@bough/api/client';

/**
 * The branch that a project opens on: the one with the newest message, or that was made last. Hidden ones only if there
 * is no other. It is the same on every device, because it follows from what is stored.
 */
export function lastUsed(branches: readonly BranchView[]): BranchView | undefined {
  const candidates = branches.some(({ hidden }) => !hidden) ? branches.filter(({ hidden }) => !hidden) : branches;
  return candidates.reduce<BranchView | undefined>(
    (best, branch) => (best === undefined || branch.lastUsedAt > best.lastUsedAt ? branch : best),
    undefined,
  );
}
