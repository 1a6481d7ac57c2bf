import { ApiError } from '@bough/api/client';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { PlusIcon, TrashIcon } from '../../parts/icons.tsx';
import { FieldError } from '../../view/deployment-form.ts';
import type { NamedValue } from '../../view/named-values.ts';

/** What is wrong with a field; `field` is null if it is none of them. */
export interface FieldProblem {
  readonly field: string | null;
  readonly message: string;
}

/** Which of the form's fields an error is about: `models.0.id` is about `models`. */
export function fieldProblem(error: unknown, fields: readonly string[]): FieldProblem {
  const message = error instanceof Error ? error.message : String(error);
  const named = error instanceof FieldError ? error.field : error instanceof ApiError ? error.extra['field'] : null;
  if (typeof named !== 'string') return { field: null, message };
  const field = fields.find((each) => named === each || named.startsWith(`${each}.`)) ?? null;
  // The sentence begins with the name of the field, which stands above it already.
  const plain = field === named ? message.replace(`${named}: `, '') : message;
  return { field, message: `${plain.charAt(0).toUpperCase()}${plain.slice(1)}` };
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with it; null if nothing is known to be. */
  readonly problem: string | null;
  readonly children: (props: {
    readonly id: string;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string | undefined;
  }) => ReactNode;
}

/** A labelled field with what is wrong with it beside it. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const told = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problem === null ? [] : [`${id}-problem`])];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': problem !== null,
        'aria-describedby': told.length === 0 ? undefined : told.join(' '),
      })}
      {problem === null ? null : (
        <small id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </small>
      )}
      {hint === undefined ? null : (
        <small id={`${id}-hint`} className="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** A text of several lines. */
  readonly rows?: number;
  /** What a program reads, such as a command. */
  readonly mono?: boolean;
  readonly type?: 'text' | 'url' | 'password';
  readonly placeholder?: string;
}

/** A field for a text that is a name, an address or a command: nothing that a spelling could be checked of. */
export function TextField({
  value,
  onChange,
  rows,
  mono = false,
  type = 'text',
  placeholder,
  ...field
}: TextFieldProps) {
  const className = mono ? 'input mono' : 'input';
  return (
    <Field {...field}>
      {(props) => {
        const shared = { ...props, className, placeholder, spellCheck: false, value };
        if (rows !== undefined)
          return <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />;
        const autoComplete = type === 'password' ? 'off' : undefined;
        return (
          <input
            {...shared}
            type={type}
            autoComplete={autoComplete}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </Field>
  );
}

interface NamedValuesProps {
  readonly label: string;
  readonly add: string;
  /** What the field for a name is called. */
  readonly nameLabel: string;
  readonly values: readonly NamedValue[];
  readonly problem: string | null;
  readonly onChange: (values: readonly NamedValue[]) => void;
}

/** Headers or variables. A value that is set is not shown; one that is typed replaces it. */
export function NamedValues({ label, add, nameLabel, values, problem, onChange }: NamedValuesProps) {
  const t = useT();
  const replace = (index: number, change: Partial<NamedValue>): void =>
    onChange(values.map((value, at) => (at === index ? { ...value, ...change } : value)));
  return (
    <fieldset className="field named-values">
      <legend>{label}</legend>
      {values.map((value, index) => (
        // Rows have no identity but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="named-value">
          <input
            className="input"
            aria-label={nameLabel}
            placeholder={t('settings.values.name')}
            spellCheck={false}
            value={value.name}
            onChange={(event) => replace(index, { name: event.target.value, isSet: false })}
          />
          <input
            className="input"
            type="password"
            autoComplete="off"
            aria-label={t('settings.values.value', { name: value.name })}
            placeholder={value.isSet ? t('settings.values.set') : t('settings.values.valueShort')}
            spellCheck={false}
            value={value.value}
            onChange={(event) => replace(index, { value: event.target.value })}
          />
          <button
            type="button"
            className="icon-button"
            aria-label={t('settings.values.remove', { name: value.name })}
            onClick={() => onChange(values.filter((_, at) => at !== index))}
          >
            <TrashIcon />
          </button>
        </div>
      ))}
      <button
        type="button"
        className="button small quiet"
        onClick={() => onChange([...values, { name: '', value: '', isSet: false }])}
      >
        <PlusIcon /> {add}
      </button>
      {problem === null ? null : (
        <small className="field-problem" role="alert">
          {problem}
        </small>
      )}
    </fieldset>
  );
}
