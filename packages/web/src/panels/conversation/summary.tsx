import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { summaryQuery } from '../../session/queries.ts';
import { nodesOf } from '../../view/merge-history.ts';

const SummaryCard = lazy(() =>
  import('../compaction/card.tsx').then(({ SummaryCard: component }) => ({ default: component })),
);

const ClientSummary = lazy(() =>
  import('../compaction/client-summary.tsx').then(({ ClientSummary: component }) => ({ default: component })),
);

/** What is shown behind the message that a summary ends with; null: before the first one. */
export interface PlacedCard {
  readonly upTo: string | null;
  readonly element: ReactNode;
}

interface Summarised {
  readonly groups: readonly MessageGroupView[];
  readonly card: PlacedCard | null;
  /** The card stands in place of the turns before it. */
  readonly folded: boolean;
}

/**
 * The turns of a branch with its summary in place. What it stands for is folded away, as it is for the model, until
 * somebody opens it or follows a link into it.
 */
export function useSummary(
  projectId: string,
  branch: BranchView,
  groups: readonly MessageGroupView[],
  focusNode: string | null,
): Summarised {
  const [opened, setOpened] = useState<string | null>(null);
  const { data = null } = useQuery(summaryQuery(projectId, branch));
  const summary = branch.summaries === undefined ? null : data;
  const end = summary === null ? -1 : groups.findIndex((group) => holds(group, summary.upTo));
  const isFocused = focusNode !== null && groups.slice(0, end + 1).some((group) => holds(group, focusNode));
  const open = isFocused || (summary !== null && opened === summary.id);
  const folded = end >= 0 && !open;
  // The same list as long as nothing changed: what is measured belongs to it.
  const shown = useMemo(() => (folded ? groups.slice(end + 1) : groups), [folded, groups, end]);
  if (summary === null) return { groups: shown, card: ofClient(projectId, branch), folded };
  const element = (
    <Suspense fallback={null}>
      <SummaryCard
        projectId={projectId}
        branch={branch}
        summary={summary}
        open={open}
        onOpen={(next) => setOpened(next ? summary.id : null)}
      />
    </Suspense>
  );
  return { groups: shown, card: { upTo: summary.upTo, element }, folded };
}

/** Where a client put a summary in place of its history, which it did on a branch of its own. */
function ofClient(projectId: string, { recorded, forkedFromId }: BranchView): PlacedCard | null {
  if (recorded?.because !== 'compacted') return null;
  const element = (
    <Suspense fallback={null}>
      <ClientSummary projectId={projectId} recorded={recorded} />
    </Suspense>
  );
  return { upTo: forkedFromId, element };
}

const holds = (group: MessageGroupView, nodeId: string): boolean => nodesOf(group).some(({ id }) => id === nodeId);
