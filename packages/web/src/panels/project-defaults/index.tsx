import type { ProjectDetailsView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { ModelFields } from '../../parts/model-fields.tsx';
import { client } from '../../session/client.ts';
import { presetsQuery } from '../../session/library.ts';
import { projectQuery, providersQuery, refreshProject, toolsQuery } from '../../session/queries.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { formOf } from '../../view/envelope-form.ts';
import { PromptAndTools, ThinkingField } from '../branch-dialog/envelope-fields.tsx';
import '../branch-dialog/branch-dialog.css';
import { PresetSelect } from '../presets/preset-select.tsx';

interface ProjectDefaultsProps {
  readonly projectId: string;
  readonly onClose: () => void;
}

/** What a branch that begins with nothing is made with in this project. */
export function ProjectDefaults({ projectId, onClose }: ProjectDefaultsProps) {
  const t = useT();
  const project = useQuery(projectQuery(projectId)).data?.project;
  return (
    <Dialog open onClose={onClose} title={t('defaults.title')} description={t('defaults.lead')}>
      {project === undefined ? (
        <p className="faint">{t('app.loading')}</p>
      ) : (
        <Form project={project} onClose={onClose} />
      )}
    </Dialog>
  );
}

const OWN = 'own';

function Form({ project, onClose }: { readonly project: ProjectDetailsView; readonly onClose: () => void }) {
  const t = useT();
  const providers = useQuery(providersQuery);
  const tools = useQuery(toolsQuery);
  const presets = useQuery(presetsQuery).data ?? [];
  const [changed, setForm] = useState<ReturnType<typeof formOf> | null>(null);
  const [taken, setTaken] = useState(OWN);
  const { busy, problem, run } = useAttempt();
  const { provider = '', model = '', thinking = 'medium', tools: own = [] } = project.defaults;
  const standard = providers.data?.defaults;
  const form =
    changed ??
    formOf({
      provider: provider === '' ? (standard?.provider ?? '') : provider,
      model: model === '' ? (standard?.model ?? '') : model,
      thinking,
      tools: own,
      systemPrompt: project.systemPrompt,
    });
  const known = providers.data?.providers
    .find(({ id }) => id === form.provider)
    ?.models.find(({ id }) => id === form.model);
  const submit = async (): Promise<void> => {
    const preset = presets.find(({ id }) => id === taken);
    await run(async () => {
      await client.updateProject(project.id, {
        systemPrompt: form.systemPrompt.trim() === '' ? null : form.systemPrompt,
        defaults: {
          provider: form.provider,
          model: form.model.trim(),
          thinking: form.thinking,
          tools: [...form.tools],
          ...(preset === undefined ? {} : { maxTokens: preset.maxTokens, failEarly: preset.failEarly }),
        },
      });
      await refreshProject(project.id);
      onClose();
    });
  };
  return (
    <DialogForm
      save={t('defaults.save')}
      canSave={form.model.trim() !== ''}
      busy={busy}
      problem={problem}
      onSave={submit}
      onClose={onClose}
    >
      {presets.length === 0 ? null : (
        <PresetSelect
          presets={presets}
          value={taken}
          label={t('defaults.from')}
          others={[{ value: OWN, label: t('defaults.own') }]}
          onChange={(value) => {
            setTaken(value);
            const preset = presets.find(({ id }) => id === value);
            setForm(preset === undefined ? null : formOf(preset));
          }}
        />
      )}
      <ModelFields
        providers={providers.data?.providers ?? []}
        provider={form.provider}
        model={form.model}
        onChange={(choice) => setForm({ ...form, ...choice })}
      />
      <ThinkingField
        value={form.thinking}
        model={known ?? null}
        note={null}
        onChange={(next) => setForm({ ...form, thinking: next })}
      />
      <PromptAndTools
        form={form}
        tools={tools.data?.tools ?? []}
        promptNote={null}
        promptChoice={null}
        toolsNote={null}
        onChange={(change) => setForm({ ...form, ...change })}
      />
    </DialogForm>
  );
}
