import type { PresetView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../../i18n/later/index.ts';
import { PresetDialog } from '../../../panels/presets/preset-dialog.tsx';
import { Confirm } from '../../../parts/dialog.tsx';
import { EditIcon, PlusIcon, TrashIcon } from '../../../parts/icons.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { client } from '../../../session/client.ts';
import { presetsQuery, refreshPresets } from '../../../session/library.ts';
import { useProviderName } from '../../../session/provider-name.ts';
import { providersQuery } from '../../../session/queries.ts';
import { useTold } from '../../../session/use-told.ts';
import { errorText } from '../../../view/error-text.ts';
import './library.css';

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly preset: PresetView } | null;

/** The presets: what new projects and branches can be made with. */
export function PresetSettings() {
  const t = useT();
  const nameOf = useProviderName();
  const presets = useQuery(presetsQuery);
  const standard = useQuery(providersQuery).data?.defaults;
  const [open, setOpen] = useState<Open>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const close = (): void => setOpen(null);
  const remove = async (preset: PresetView): Promise<void> => {
    try {
      await client.deletePreset(preset.id);
      await refreshPresets();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <>
      <p className="library-about">{t('presets.about')}</p>
      {presets.isError ? <Problem message={presets.error.message} /> : null}
      {problem === null ? null : <Problem message={problem} />}
      {presets.data === undefined || presets.data.length === 0 ? null : (
        <ul className="library-list" aria-labelledby="presets-title">
          {presets.data.map((preset) => (
            <li key={preset.id}>
              <div className="library-text">
                <span className="library-name">
                  {preset.name}
                  {preset.isDefault ? <span className="badge good">{t('presets.default')}</span> : null}
                </span>
                <small>{`${nameOf(preset.provider)} · ${preset.model}`}</small>
                <PresetProblem problem={preset.problem} />
              </div>
              <button
                type="button"
                className="icon-button"
                aria-label={`${t('library.edit')}: ${preset.name}`}
                onClick={() => setOpen({ kind: 'edit', preset })}
              >
                <EditIcon />
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label={`${t('library.delete')}: ${preset.name}`}
                onClick={() => setOpen({ kind: 'delete', preset })}
              >
                <TrashIcon />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="setting-actions">
        <button
          type="button"
          className="button"
          disabled={standard === undefined}
          onClick={() => setOpen({ kind: 'new' })}
        >
          <PlusIcon />
          {t('presets.new')}
        </button>
      </div>
      {open?.kind === 'new' && standard !== undefined ? (
        <PresetDialog
          source={{ ...standard, systemPrompt: null, tools: [], thinking: 'medium', maxTokens: null, failEarly: false }}
          onClose={close}
        />
      ) : null}
      {open?.kind === 'edit' ? <PresetDialog source={open.preset} preset={open.preset} onClose={close} /> : null}
      {open?.kind === 'delete' ? (
        <Confirm
          open
          title={t('presets.delete')}
          question={t('presets.delete.sure', { name: open.preset.name })}
          confirm={t('presets.delete')}
          onConfirm={() => void remove(open.preset)}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function PresetProblem({ problem }: { readonly problem: PresetView['problem'] }) {
  const told = useTold(problem);
  return problem === null ? null : <small className="library-problem">{told}</small>;
}
