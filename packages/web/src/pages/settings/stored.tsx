import type { DeploymentListView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';

/** Where what is set here is kept, and which file decides. */
export function Stored({ places }: { readonly places: Pick<DeploymentListView, 'file' | 'pageFile' | 'locked'> }) {
  const t = useT();
  const { file, pageFile, locked } = places;
  return (
    <p className="hint stored">
      {locked ? t('settings.locked') : t('settings.storedIn', { path: pageFile })}{' '}
      {file === null ? null : t('settings.fileDecides', { path: file })}
    </p>
  );
}
