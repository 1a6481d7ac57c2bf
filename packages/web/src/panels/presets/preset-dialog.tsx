import type { BranchView, PresetView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { ModelFields } from '../../parts/model-fields.tsx';
import { client } from '../../session/client.ts';
import { refreshPresets } from '../../session/library.ts';
import { providersQuery, toolsQuery } from '../../session/queries.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { formOf } from '../../view/envelope-form.ts';
import { PromptAndTools, ThinkingField } from '../branch-dialog/envelope-fields.tsx';
import '../branch-dialog/branch-dialog.css';
import { PresetTrouble } from './preset-select.tsx';

type Source = Pick<
  BranchView,
  'provider' | 'model' | 'systemPrompt' | 'tools' | 'thinking' | 'maxTokens' | 'failEarly'
>;

interface PresetDialogProps {
  /** What it begins with: a branch, a preset, or the defaults. */
  readonly source: Source;
  /** The preset that is changed; absent for a new one. */
  readonly preset?: PresetView;
  readonly onSaved?: (preset: PresetView) => void;
  readonly onClose: () => void;
}

/** A preset, new or changed: everything that a branch is locked to, under a name. */
export function PresetDialog({ source, preset, onSaved, onClose }: PresetDialogProps) {
  const t = useT();
  const [name, setName] = useState(preset?.name ?? '');
  const [form, setForm] = useState(() => formOf(source));
  const [maxTokens, setMaxTokens] = useState(source.maxTokens === null ? '' : String(source.maxTokens));
  const [isDefault, setDefault] = useState(preset?.isDefault ?? false);
  const { busy, problem, run } = useAttempt();
  const providers = useQuery(providersQuery);
  const tools = useQuery(toolsQuery);
  const model = providers.data?.providers
    .find(({ id }) => id === form.provider)
    ?.models.find(({ id }) => id === form.model);
  const limit = maxTokens.trim() === '' ? null : Number(maxTokens);
  const isWhole = name.trim() !== '' && form.model.trim() !== '' && (limit === null || isLimit(limit));

  const submit = (): Promise<boolean> =>
    run(async () => {
      const known = new Set(tools.data?.tools.map((tool) => tool.name));
      const body = {
        name: name.trim(),
        provider: form.provider,
        model: form.model.trim(),
        systemPrompt: form.systemPrompt.trim() === '' ? null : form.systemPrompt,
        thinking: form.thinking,
        // A tool that is gone cannot be stored again.
        tools: tools.data === undefined ? [...form.tools] : form.tools.filter((tool) => known.has(tool)),
        isDefault,
      };
      const saved =
        preset === undefined
          ? await client.createPreset({
              ...body,
              ...(limit === null ? {} : { maxTokens: limit }),
              ...(source.failEarly ? { failEarly: true } : {}),
            })
          : await client.updatePreset(preset.id, { ...body, maxTokens: limit });
      await refreshPresets();
      onSaved?.(saved.preset);
      onClose();
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(preset === undefined ? 'presets.new' : 'presets.edit')}
      description={t('presets.lead')}
    >
      <DialogForm
        save={t('presets.save')}
        canSave={isWhole}
        busy={busy}
        problem={problem}
        onSave={submit}
        onClose={onClose}
      >
        <label className="field">
          <span>{t('branch.name')}</span>
          <input
            className="input"
            value={name}
            maxLength={200}
            placeholder={t('presets.name.placeholder')}
            onChange={(event) => setName(event.target.value)}
            autoFocus
          />
        </label>
        <PresetTrouble preset={preset} />
        <ModelFields
          providers={providers.data?.providers ?? []}
          provider={form.provider}
          model={form.model}
          onChange={(choice) => setForm((before) => ({ ...before, ...choice }))}
        />
        <ThinkingField
          value={form.thinking}
          model={model ?? null}
          note={null}
          onChange={(thinking) => setForm((before) => ({ ...before, thinking }))}
        />
        <PromptAndTools
          form={form}
          tools={tools.data?.tools ?? []}
          promptNote={null}
          promptChoice={null}
          toolsNote={null}
          onChange={(change) => setForm((before) => ({ ...before, ...change }))}
        />
        <label className="field">
          <span>{t('presets.maxTokens')}</span>
          <input
            className="input"
            inputMode="numeric"
            value={maxTokens}
            placeholder={t('presets.maxTokens.none')}
            aria-invalid={limit !== null && !isLimit(limit)}
            onChange={(event) => setMaxTokens(event.target.value)}
          />
        </label>
        <label className="check-line">
          <input type="checkbox" checked={isDefault} onChange={(event) => setDefault(event.target.checked)} />{' '}
          {t('presets.isDefault')}
        </label>
      </DialogForm>
    </Dialog>
  );
}

const isLimit = (limit: number): boolean => Number.isInteger(limit) && limit >= 1 && limit <= 100_000_000;
