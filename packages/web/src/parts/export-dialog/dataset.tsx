import type { DatasetCountView, DatasetInput } from '@bough/api/client';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { later } from '../../i18n/later/en.ts';
import type { MessageKey, Translator } from '../../i18n/later/index.ts';
import { useT } from '../../i18n/later/index.ts';
import { client } from '../../session/client.ts';
import type { DatasetForm } from '../../view/dataset-form.ts';
import { datasetQuery, FORMATS, reasoningsOf, SHAPES, verdictsOf } from '../../view/dataset-form.ts';
import { errorText } from '../../view/error-text.ts';
import { formatNumber } from '../../view/format.ts';
import { HintedField } from '../hinted-field.tsx';
import { Problem } from '../problem.tsx';
import { useSettled } from '../settled.ts';

const FORMAT_NAMES = { jsonl: 'JSON Lines', parquet: 'Parquet' } as const;

const countQuery = (query: DatasetInput) =>
  queryOptions({
    queryKey: ['dataset', query],
    queryFn: ({ signal }) => client.countDataset(query, signal),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });

interface DatasetFieldsProps {
  readonly projectId: string;
  readonly form: DatasetForm;
  /** The models of the project's branches, to choose from. */
  readonly models: readonly string[];
  readonly onChange: (form: DatasetForm) => void;
}

/** What a dataset holds, and what it would leave out. */
export function DatasetFields({ projectId, form, models, onChange }: DatasetFieldsProps) {
  const t = useT();
  const listId = useId();
  const change = (part: Partial<DatasetForm>): void => onChange({ ...form, ...part });
  const query = datasetQuery(projectId, form);
  return (
    <>
      <div className="field-row">
        <label className="field">
          <span>{t('dataset.of')}</span>
          <select
            className="input"
            value={form.ofAll ? 'all' : 'project'}
            onChange={(event) => change({ ofAll: event.target.value === 'all' })}
          >
            <option value="project">{t('dataset.of.project')}</option>
            <option value="all">{t('dataset.of.all')}</option>
          </select>
        </label>
        <Choice
          name={t('dataset.format')}
          values={FORMATS}
          value={form.format}
          label={(each) => FORMAT_NAMES[each]}
          onChange={(format) => change({ format })}
        />
      </div>
      <Choice
        name={t('dataset.shape')}
        values={SHAPES}
        value={form.shape}
        label={(each) => t(`dataset.shape.${each}`)}
        onChange={(shape) => change({ shape })}
      />
      <Choice
        name={t('export.reasoning')}
        values={reasoningsOf(form.shape)}
        value={query.reasoning ?? 'none'}
        label={(each) => t(`dataset.reasoning.${each}`)}
        onChange={(reasoning) => change({ reasoning })}
      />
      <fieldset className="field choices dataset-checks">
        <legend>{t('dataset.with')}</legend>
        {(['tools', 'files', 'notes'] as const).map((each) => (
          <Check
            key={each}
            label={t(`dataset.${each}`)}
            checked={form[each]}
            onChange={(on) => change({ [each]: on })}
          />
        ))}
      </fieldset>
      <fieldset className="field choices dataset-checks">
        <legend>{t('dataset.only')}</legend>
        {(['starred', 'blind'] as const).map((each) => (
          <Check
            key={each}
            label={t(`dataset.${each}`)}
            checked={form[each]}
            onChange={(on) => change({ [each]: on })}
          />
        ))}
        <div className="dataset-verdicts" role="group" aria-label={t('dataset.verdicts')}>
          <span>{t('dataset.verdicts')}</span>
          {verdictsOf(form.shape).map((each) => (
            <Check
              key={each}
              label={t(`kept.verdict.${each}`)}
              checked={form.verdicts.includes(each)}
              onChange={(on) =>
                change({ verdicts: on ? [...form.verdicts, each] : form.verdicts.filter((one) => one !== each) })
              }
            />
          ))}
        </div>
        <HintedField label={t('dataset.model')} hint={t('dataset.model.hint')}>
          {(described) => (
            <input
              {...described}
              className="input"
              list={listId}
              value={form.models}
              onChange={(event) => change({ models: event.target.value })}
            />
          )}
        </HintedField>
        <datalist id={listId}>
          {models.map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        <div className="field-row">
          {(['since', 'until'] as const).map((each) => (
            <label key={each} className="field">
              <span>{t(`dataset.${each}`)}</span>
              <input
                className="input"
                type="date"
                value={form[each]}
                onChange={(event) => change({ [each]: event.target.value })}
              />
            </label>
          ))}
        </div>
      </fieldset>
      <Report query={query} />
    </>
  );
}

function Report({ query }: { readonly query: DatasetInput }) {
  const t = useT();
  const settled = useSettled(JSON.stringify(query));
  const count = useQuery(countQuery(JSON.parse(settled) as DatasetInput));
  if (count.isError) return <Problem message={errorText(count.error)} />;
  const { data } = count;
  return (
    <div className="dataset-report" role="status" aria-busy={count.isFetching}>
      {data === undefined ? (
        t('dataset.counting')
      ) : (
        <>
          <strong>{t('dataset.count', { count: formatNumber(data.records, t.locale) })}</strong>
          <LeftOut sentence="dataset.noRecords" counts={data.leftOut.records} />
          <LeftOut sentence="dataset.noParts" counts={data.leftOut.parts} />
        </>
      )}
    </div>
  );
}

interface LeftOutProps {
  readonly sentence: 'dataset.noRecords' | 'dataset.noParts';
  readonly counts: DatasetCountView['leftOut']['parts'];
}

function LeftOut({ sentence, counts }: LeftOutProps) {
  const t = useT();
  const reasons = Object.entries(counts).map(([reason, count]) =>
    t('dataset.reason', { reason: reasonText(reason, t), count: formatNumber(count, t.locale) }),
  );
  return reasons.length === 0 ? null : <p>{t(sentence, { reasons: reasons.join(', ') })}</p>;
}

/** A reason of a newer server is shown as its code. */
function reasonText(reason: string, t: Translator): string {
  const key = `dataset.reason.${reason}`;
  return isKey(key) ? t(key) : reason.replaceAll('_', ' ');
}

function isKey(key: string): key is MessageKey {
  return Object.hasOwn(later, key);
}

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly values: readonly Value[];
  readonly value: Value;
  readonly label: (value: Value) => string;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ name, values, value, label, onChange }: ChoiceProps<Value>) {
  return (
    <label className="field">
      <span>{name}</span>
      <select
        className="input"
        value={value}
        onChange={(event) => onChange(values.find((each) => each === event.target.value) ?? value)}
      >
        {values.map((each) => (
          <option key={each} value={each}>
            {label(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (on: boolean) => void;
}

function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label className="check-line">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} /> {label}
    </label>
  );
}
