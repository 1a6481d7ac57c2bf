import type { ProviderListView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { ModelFields } from '../../parts/model-fields.tsx';
import { client } from '../../session/client.ts';
import { providersQuery } from '../../session/queries.ts';
import { useSave } from './save.ts';
import { Saved } from './saved.tsx';

/** What a new project starts with. */
export function Defaults() {
  const { data } = useQuery(providersQuery);
  return data === undefined ? null : <DefaultsForm providers={data.providers} defaults={data.defaults} />;
}

function DefaultsForm({ providers, defaults }: ProviderListView) {
  const t = useT();
  // Only what was chosen here: the default itself may change meanwhile, by a key that is saved below.
  const [chosen, setChoice] = useState<ProviderListView['defaults'] | null>(null);
  const choice = chosen ?? defaults;
  const [state, save] = useSave();
  const isSame = choice.provider === defaults.provider && choice.model === defaults.model;
  const submit = async (): Promise<void> => {
    if (await save(() => client.setDefaults(choice))) setChoice(null);
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
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
