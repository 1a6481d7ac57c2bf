import { useT } from '../../i18n/index.ts';
import type { SaveState } from './save.ts';

export function Saved({ state }: { readonly state: SaveState }) {
  const t = useT();
  if (state.kind === 'failed')
    return (
      <p className="notice danger" role="alert">
        {state.message}
      </p>
    );
  return (
    <span className="saved" role="status">
      {state.kind === 'saved' ? t('settings.saved') : ''}
    </span>
  );
}
