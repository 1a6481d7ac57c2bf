import type { BranchView } from '@bough/api/client';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { branchLeadingTo } from '../../session/find-node.ts';
import { attempt } from '../../session/refusals.ts';
import { useTurnActions } from '../../session/turn-actions.ts';

const BranchDialog = lazy(() =>
  import('../branch-dialog/index.tsx').then(({ BranchDialog: component }) => ({ default: component })),
);

/** Goes to a message that was brought; where no branch leads to it any more, offers to make one, as the graph does. */
export function useGoToSource(
  projectId: string,
  branch: BranchView,
): { readonly goTo: (nodeId: string) => void; readonly dialog: ReactNode } {
  const { goTo: navigate } = useTurnActions(projectId, branch);
  const [orphan, setOrphan] = useState<string | null>(null);
  const goTo = (nodeId: string): void =>
    void attempt(async () => {
      const there = await branchLeadingTo(projectId, nodeId);
      if (there === null) setOrphan(nodeId);
      else await navigate(there, nodeId);
    });
  const dialog =
    orphan === null ? null : (
      <Suspense fallback={null}>
        <BranchDialog projectId={projectId} source={branch} fromNodeId={orphan} onClose={() => setOrphan(null)} />
      </Suspense>
    );
  return { goTo, dialog };
}
