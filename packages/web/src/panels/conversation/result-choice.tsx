import { lazy, Suspense, useContext, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import type { ChoiceChanges } from '../../view/choices.ts';
import { choosing } from '../../view/choices.ts';
import { NextRequestContext } from './fidelity.tsx';

const ChooseDialog = lazy(() =>
  import('../../parts/choose-dialog/index.tsx').then(({ ChooseDialog: component }) => ({ default: component })),
);

/** Leaves the result of a tool out of requests, or puts it back; its call stays. */
export function ResultChoice({ projectId, nodeId }: { readonly projectId: string; readonly nodeId: string }) {
  const t = useT();
  const { branch } = useContext(NextRequestContext);
  const [asked, setAsked] = useState<ChoiceChanges | null>(null);
  if (branch === null) return null;
  const isOut = branch.choices?.[nodeId] === 'leave_out';
  return (
    <p className="result-choice">
      {isOut ? <span className="badge">{t('choose.leftOut')}</span> : null}
      <button
        type="button"
        className="button small quiet"
        onClick={() => setAsked(choosing([nodeId], isOut ? null : 'leave_out'))}
      >
        {t(isOut ? 'choose.back' : 'choose.leaveOut')}
      </button>
      {asked === null ? null : (
        <Suspense fallback={null}>
          <ChooseDialog projectId={projectId} branch={branch} choices={asked} onClose={() => setAsked(null)} />
        </Suspense>
      )}
    </p>
  );
}
