import type { BranchView } from '@bough/api/client';
import { lazy, Suspense } from 'react';
import type * as Kept from './index.tsx';

// Beside every message there is a star: with the first of them, the entries of the menus are there as well.
let loaded: typeof Kept | null = null;
const load = async () => (loaded ??= await import('./index.tsx'));

const StarButton = lazy(() => load().then(({ StarButton: component }) => ({ default: component })));
const Items = lazy(() => load().then(({ KeptItems: component }) => ({ default: component })));
const Card = lazy(() => load().then(({ KeptCard: component }) => ({ default: component })));
const Questions = lazy(() => load().then(({ QuestionsBeside: component }) => ({ default: component })));
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

/** At once where they are loaded: entries that come to a menu a moment later move the others under the finger. */
export function KeptItems(props: Beside & { readonly isReply: boolean; readonly onEdit: () => void }) {
  if (loaded !== null) return <loaded.KeptItems {...props} />;
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
