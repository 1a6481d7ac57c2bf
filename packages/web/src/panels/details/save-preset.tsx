import type { BranchView } from '@bough/api/client';
import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';

const PresetDialog = lazy(() =>
  import('../presets/preset-dialog.tsx').then(({ PresetDialog: component }) => ({ default: component })),
);

/** Keeps what the branch is locked to under a name. */
export function SavePreset({ branch }: { readonly branch: BranchView }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button small" onClick={() => setOpen(true)}>
        {t('presets.saveAs')}
      </button>
      <Suspense fallback={null}>
        {open ? <PresetDialog source={branch} onClose={() => setOpen(false)} /> : null}
      </Suspense>
    </>
  );
}
