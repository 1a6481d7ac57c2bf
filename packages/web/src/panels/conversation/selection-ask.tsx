import type { BranchView } from '@bough/api/client';
import { lazy, Suspense, useState } from 'react';
import { useSelectedPassage } from './selected-passage.ts';

const AskForm = lazy(() =>
  import('../questions/ask-form.tsx').then(({ AskForm: component }) => ({ default: component })),
);

interface SelectionAskProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly scroller: HTMLDivElement | null;
}

/** Words selected in a reply can be asked about: beside them, or on a branch of their own. */
export function SelectionAsk({ projectId, branch, scroller }: SelectionAskProps) {
  const [passage, clear] = useSelectedPassage(scroller);
  // Once it was there it stays loaded: it holds what was typed, and says what became of it.
  const [isWanted, setIsWanted] = useState(false);
  if (passage !== null && !isWanted) setIsWanted(true);
  return isWanted ? (
    <Suspense fallback={null}>
      <AskForm projectId={projectId} branch={branch} scroller={scroller} passage={passage} onClose={clear} />
    </Suspense>
  ) : null;
}
