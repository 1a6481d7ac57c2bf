import type { ProviderListView, TitleModelView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../../i18n/later/index.ts';
import { ModelFields } from '../../../parts/model-fields.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { client } from '../../../session/client.ts';
import { titleModelQuery } from '../../../session/library.ts';
import { providersQuery, readAgain } from '../../../session/queries.ts';
import { useSave } from '../save.ts';
import { Saved } from '../saved.tsx';
import './library.css';

/** Who names new projects: their first line, or a model. */
export function TitleSettings() {
  const t = useT();
  const chosen = useQuery(titleModelQuery);
  const providers = useQuery(providersQuery).data;
  return (
    <>
      <p className="library-about">{t('titles.about')}</p>
      {chosen.isError ? <Problem message={chosen.error.message} /> : null}
      {chosen.data === undefined || providers === undefined ? null : <TitleForm stored={chosen.data} {...providers} />}
    </>
  );
}

type Choice = TitleModelView['model'];

function TitleForm({ stored, providers, defaults }: ProviderListView & { readonly stored: Choice }) {
  const t = useT();
  /** Only what was chosen here: what is stored may change meanwhile. */
  const [picked, setChoice] = useState<Choice | undefined>(undefined);
  const choice = picked === undefined ? stored : picked;
  const [state, save] = useSave();
  const isSame = choice?.provider === stored?.provider && choice?.model === stored?.model;
  const submit = (): Promise<boolean> =>
    save(async () => {
      await client.setTitleModel(choice === null ? null : { ...choice, model: choice.model.trim() });
      await readAgain(['title-model']);
      setChoice(undefined);
    });
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <fieldset className="field choices">
        <legend className="visually-hidden">{t('titles.title')}</legend>
        <div className="segmented">
          <label>
            <input type="radio" name="titles" checked={choice === null} onChange={() => setChoice(null)} />
            <span>{t('titles.line')}</span>
          </label>
          <label>
            <input
              type="radio"
              name="titles"
              checked={choice !== null}
              onChange={() => setChoice(stored ?? { ...defaults })}
            />
            <span>{t('titles.model')}</span>
          </label>
        </div>
      </fieldset>
      {choice === null ? null : (
        <ModelFields providers={providers} provider={choice.provider} model={choice.model} onChange={setChoice} />
      )}
      <div className="setting-actions">
        <button
          type="submit"
          className="button"
          disabled={isSame || choice?.model.trim() === '' || state.kind === 'busy'}
        >
          {t('titles.save')}
        </button>
        <Saved state={state} />
      </div>
    </form>
  );
}
