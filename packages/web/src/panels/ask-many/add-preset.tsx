import type { PresetView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { presetsQuery } from '../../session/library.ts';

interface AddPresetProps {
  readonly disabled: boolean;
  readonly onAdd: (preset: PresetView) => void;
}

/** Adds a preset to those who are asked; nothing where there is none. */
export function AddPreset({ disabled, onAdd }: AddPresetProps) {
  const t = useT();
  const presets = useQuery(presetsQuery).data ?? [];
  if (presets.length === 0) return null;
  return (
    <select
      className="input ask-add-preset"
      aria-label={t('ask.addPreset')}
      value=""
      disabled={disabled}
      onChange={(event) => {
        const preset = presets.find(({ id }) => id === event.target.value);
        if (preset !== undefined) onAdd(preset);
      }}
    >
      <option value="">{t('ask.addPreset')}</option>
      {presets.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
