import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { projectQuery } from '../../session/queries.ts';
import { lastUsed } from '../../view/last-used.ts';
import type { SearchHit } from '../../view/search-groups.ts';

const BranchDialog = lazy(() =>
  import('../branch-dialog/index.tsx').then(({ BranchDialog: component }) => ({ default: component })),
);

/** The address of a hit; null for a message that no branch leads to. */
export function addressOf(hit: SearchHit) {
  const { projectId, branchName, nodeId, kind } = hit;
  if (kind === 'project') return { to: '/p/$projectId' as const, params: { projectId } };
  if (branchName === null) return null;
  return {
    to: '/p/$projectId/b/$branch' as const,
    params: { projectId, branch: branchName },
    search: kind === 'node' && nodeId !== null ? { node: nodeId } : {},
  };
}

/** Goes to a hit; where no branch leads to it, offers to make one, as the graph does. */
export function useOpenHit(): { readonly open: (hit: SearchHit) => void; readonly dialog: ReactNode } {
  const navigate = useNavigate();
  const [orphan, setOrphan] = useState<SearchHit | null>(null);
  const open = (hit: SearchHit): void => {
    const address = addressOf(hit);
    if (address === null) setOrphan(hit);
    else void navigate(address);
  };
  return { open, dialog: orphan === null ? null : <Orphan hit={orphan} onClose={() => setOrphan(null)} /> };
}

function Orphan({ hit, onClose }: { readonly hit: SearchHit; readonly onClose: () => void }) {
  const { data } = useQuery(projectQuery(hit.projectId));
  const source = data === undefined ? undefined : lastUsed(data.branches);
  if (source === undefined || hit.nodeId === null) return null;
  return (
    <Suspense fallback={null}>
      <BranchDialog projectId={hit.projectId} source={source} fromNodeId={hit.nodeId} onClose={onClose} />
    </Suspense>
  );
}
