import { useT } from '../../i18n/later/index.ts';
import { Problem } from '../../parts/problem.tsx';
import type { SaveState } from './save.ts';

export function Saved({ state }: { readonly state: SaveState }) {
  const t = useT();
  if (state.kind === 'failed') return <Problem message={state.message} />;
  return (
    <span className="saved" role="status">
      {state.kind === 'saved' ? t('settings.saved') : ''}
    </span>
  );
}
