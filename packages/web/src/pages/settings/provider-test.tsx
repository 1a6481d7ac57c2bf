import type { ProviderCheckView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { errorText } from '../../view/error-text.ts';

type State =
  | { readonly kind: 'idle' | 'busy' }
  | { readonly kind: 'answered'; readonly check: ProviderCheckView }
  | { readonly kind: 'failed'; readonly message: string };

/** Asks the provider whether address and key work, and says in a sentence what came back. */
export function ProviderTest({ id }: { readonly id: string }) {
  const t = useT();
  const [state, setState] = useState<State>({ kind: 'idle' });
  const ask = async (): Promise<void> => {
    // Not a disabled button: the focus would be lost with it.
    if (state.kind === 'busy') return;
    setState({ kind: 'busy' });
    try {
      setState({ kind: 'answered', check: await client.testProvider(id) });
    } catch (error) {
      setState({ kind: 'failed', message: errorText(error) });
    }
  };
  return (
    <div className="setting-form">
      <div className="setting-actions">
        <button type="button" className="button" onClick={() => void ask()}>
          {t('settings.test')}
        </button>
        <span className="test-result" role="status">
          {state.kind === 'busy' ? t('settings.testing') : null}
          {state.kind === 'answered' ? <Verdict check={state.check} /> : null}
        </span>
      </div>
      {state.kind === 'failed' ? <Problem message={state.message} /> : null}
    </div>
  );
}

function Verdict({ check: { outcome, models, message } }: { readonly check: ProviderCheckView }) {
  const t = useT();
  if (outcome === 'works') {
    const text = models === null ? t('settings.test.works.unlisted') : t('settings.test.works', { count: models });
    return <span className="good">{text}</span>;
  }
  return (
    <>
      <span className="bad">{t(`settings.test.${outcome}`)}</span>
      {message === null ? null : <span className="words">{message}</span>}
    </>
  );
}
