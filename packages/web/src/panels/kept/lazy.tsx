import type { BranchView } from '@bough/api/client';
import { lazy, Suspense } from 'react';

const StarButton = lazy(() => import('./index.tsx').then(({ StarButton: component }) => ({ default: component })));
const Items = lazy(() => import('./index.tsx').then(({ KeptItems: component }) => ({ default: component })));
const Card = lazy(() => import('./index.tsx').then(({ KeptCard: component }) => ({ default: component })));
const Questions = lazy(() => import('./index.tsx').then(({ QuestionsBeside: component }) => ({ default: component })));
const KeptDialog = lazy(() => import('./dialog.tsx').then(({ KeptDialog: component }) => ({ default: component })));

interface Beside {
  readonly projectId: string;
  readonly nodeId: string;
}

/** Takes its place from the beginning: the buttons beside it must not move when it is there. */
export function Star(props: Beside) {
  return (
    <Suspense fallback={<span className="icon-button" aria-hidden />}>
      <StarButton {...props} />
    </Suspense>
  );
}

export function KeptItems(props: Beside & { readonly isReply: boolean; readonly onEdit: () => void }) {
  return (
    <Suspense fallback={null}>
      <Items {...props} />
    </Suspense>
  );
}

export function KeptCard(props: Beside) {
  return (
    <Suspense fallback={null}>
      <Card {...props} />
    </Suspense>
  );
}

interface BesideReply {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly nodeIds: readonly string[];
}

export function QuestionsBeside(props: BesideReply) {
  return (
    <Suspense fallback={null}>
      <Questions {...props} />
    </Suspense>
  );
}

export { KeptDialog };
