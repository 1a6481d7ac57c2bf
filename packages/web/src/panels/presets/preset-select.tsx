import type { PresetView } from '@bough/api/client';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/index.ts';
import { useTold } from '../../session/use-told.ts';

interface PresetSelectProps {
  readonly presets: readonly PresetView[];
  /** The id of a preset, or one of the other choices. */
  readonly value: string;
  readonly label: string;
  readonly hideLabel?: boolean;
  /** What there is besides the presets. */
  readonly others: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

export function PresetSelect({ presets, value, label, hideLabel = false, others, onChange }: PresetSelectProps) {
  const t = useT();
  return (
    <label className="field">
      <span className={hideLabel ? 'visually-hidden' : undefined}>{label}</span>
      <select className="input" value={value} onChange={(event) => onChange(event.target.value)}>
        {others.map((other) => (
          <option key={other.value} value={other.value}>
            {other.label}
          </option>
        ))}
        {presets.map(({ id, name, problem }) => (
          <option key={id} value={id}>
            {problem === null ? name : `${name} (${t(`presets.problem.${problem.code}`)})`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What is wrong with a preset that was chosen, and what helps. */
export function PresetTrouble({ preset }: { readonly preset: PresetView | undefined }): ReactNode {
  const t = useT();
  const problem = preset?.problem ?? null;
  const told = useTold(problem);
  if (problem === null) return null;
  const { code } = problem;
  return (
    <p className="notice warn" role="status">
      {told} {code === 'provider_gone' || code === 'model_gone' ? t('presets.problem.choose') : ''}
    </p>
  );
}
