import type { ProviderView } from '@bough/api/client';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useT } from '../i18n/index.ts';

interface ModelFieldsProps {
  readonly providers: readonly ProviderView[];
  readonly provider: string;
  readonly model: string;
  /** Shown next to the labels, e.g. where a value comes from. */
  readonly note?: ReactNode;
  /** For a place where what is chosen says what it is: the labels are only read aloud. */
  readonly hideLabels?: boolean;
  readonly onChange: (choice: { readonly provider: string; readonly model: string }) => void;
}

const OTHER = ' other';

/** A provider and one of its models: from the list, or any id that the provider may know and we do not. */
export function ModelFields({ providers, provider, model, note, hideLabels = false, onChange }: ModelFieldsProps) {
  const t = useT();
  const current = providers.find((each) => each.id === provider);
  const isListed = current?.models.some((each) => each.id === model) === true;
  const [typing, setTyping] = useState(false);
  const isTyped = typing || (current !== undefined && !isListed);
  const label = hideLabels ? 'visually-hidden' : undefined;
  const choose = (id: string): void => {
    setTyping(false);
    onChange({ provider: id, model: providers.find((each) => each.id === id)?.defaultModel ?? '' });
  };
  return (
    <div className="field-row">
      <label className="field">
        <span className={label}>
          {t('branch.provider')} {note}
        </span>
        <select className="input" value={provider} onChange={(event) => choose(event.target.value)}>
          {current === undefined ? <option value={provider}>{provider}</option> : null}
          {providers.map((each) => (
            <option key={each.id} value={each.id}>
              {each.ready ? each.label : `${each.label} (${t('branch.needsKey')})`}
            </option>
          ))}
        </select>
      </label>
      <div className="field-stack">
        <label className="field">
          <span className={label}>
            {t('branch.model')} {note}
          </span>
          <select
            className="input"
            value={isTyped ? OTHER : model}
            onChange={(event) => {
              setTyping(event.target.value === OTHER);
              onChange({ provider, model: event.target.value === OTHER ? '' : event.target.value });
            }}
          >
            {current === undefined ? <option value={model}>{model}</option> : null}
            {current?.models.map((each) => (
              <option key={each.id} value={each.id}>
                {each.label}
              </option>
            ))}
            <option value={OTHER}>{t('branch.model.other')}</option>
          </select>
        </label>
        {isTyped ? (
          <input
            className="input"
            aria-label={t('branch.model.id')}
            placeholder={t('branch.model.id')}
            value={model}
            onChange={(event) => onChange({ provider, model: event.target.value })}
          />
        ) : null}
      </div>
    </div>
  );
}
