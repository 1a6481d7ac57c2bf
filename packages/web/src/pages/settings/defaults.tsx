import type { ProviderListView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { ModelFields } from '../../parts/model-fields.tsx';
import { client } from '../../session/client.ts';
import { useSave } from './save.ts';
import { Saved } from './saved.tsx';

export function Defaults({ providers, defaults }: ProviderListView) {
  const t = useT();
  const [choice, setChoice] = useState(defaults);
  const [state, save] = useSave();
  const isSame = choice.provider === defaults.provider && choice.model === defaults.model;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(() => client.setDefaults(choice));
      }}
    >
      <ModelFields providers={providers} provider={choice.provider} model={choice.model} onChange={setChoice} />
      <div className="setting-actions">
        <button
          type="submit"
          className="button"
          disabled={isSame || choice.model.trim() === '' || state.kind === 'busy'}
        >
          {t('settings.defaults.save')}
        </button>
        <Saved state={state} />
      </div>
    </form>
  );
}
