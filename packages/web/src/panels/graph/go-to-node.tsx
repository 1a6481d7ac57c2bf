import type { BranchView, GraphView } from '@bough/api/client';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { useTurnActions } from '../../session/turn-actions.ts';
import { branchTo } from '../../view/graph-path.ts';

const BranchDialog = lazy(() =>
  import('../branch-dialog/index.tsx').then(({ BranchDialog: component }) => ({ default: component })),
);

/** Goes to a message on a branch that leads to it; if there is none, offers to create one. */
export function useGoToNode(
  projectId: string,
  branch: BranchView,
  graph: GraphView | null,
): { readonly goTo: (nodeId: string) => void; readonly dialog: ReactNode } {
  const { goTo: navigate } = useTurnActions(projectId, branch);
  const [orphan, setOrphan] = useState<string | null>(null);
  const goTo = (nodeId: string): void => {
    const there = graph === null ? null : branchTo(graph, nodeId, branch);
    if (there === null) setOrphan(nodeId);
    else void navigate(there.name, nodeId);
  };
  const dialog =
    orphan === null ? null : (
      <Suspense fallback={null}>
        <BranchDialog projectId={projectId} source={branch} fromNodeId={orphan} onClose={() => setOrphan(null)} />
      </Suspense>
    );
  return { goTo, dialog };
}
