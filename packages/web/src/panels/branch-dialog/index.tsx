import type { BranchView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ModelFields } from '../../parts/model-fields.tsx';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { providersQuery, refreshProject, toolsQuery } from '../../session/queries.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { changesOf, formOf } from '../../view/envelope-form.ts';
import { PromptAndTools, ThinkingField } from './envelope-fields.tsx';
import { SwitchPreview } from './switch-preview.tsx';
import { errorText } from '../../view/error-text.ts';
import './branch-dialog.css';

interface BranchDialogProps {
  readonly projectId: string;
  readonly source: BranchView;
  readonly fromNodeId?: string;
  /** Generates this reply again, on a branch of the chosen model. */
  readonly regenerateNodeId?: string;
  readonly onClose: () => void;
}

/**
 * A new branch, or a reply generated again by another model. Shows what the chosen model is told before anything is
 * made.
 */
export function BranchDialog({ projectId, source, fromNodeId, regenerateNodeId, onClose }: BranchDialogProps) {
  const t = useT();
  const isRegeneration = regenerateNodeId !== undefined;
  const [name, setName] = useState('');
  const [form, setForm] = useState(() => formOf(source));
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const providers = useQuery(providersQuery);
  const tools = useQuery(toolsQuery);
  const { regenerate, goTo } = useTurnActions(projectId, source);
  const changes = changesOf(form, source);
  const model = providers.data?.providers
    .find((each) => each.id === form.provider)
    ?.models.find((each) => each.id === form.model);
  const inherited = (isInherited: boolean) =>
    isInherited ? <i className="inherited">{t('branch.inherited', { name: source.name })}</i> : null;

  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      if (isRegeneration) {
        const { provider, model: id, thinking } = changes;
        await regenerate({
          nodeId: regenerateNodeId,
          ...(provider === undefined ? {} : { llmProvider: provider }),
          ...(id === undefined ? {} : { llmModel: id }),
          ...(thinking === undefined ? {} : { thinking }),
        });
      } else {
        const { branch } = await client.createBranch(projectId, {
          fromRef: source.name,
          ...(fromNodeId === undefined ? {} : { fromNodeId }),
          ...(name.trim() === '' ? {} : { name: name.trim() }),
          ...changes,
        });
        await refreshProject(projectId);
        await goTo(branch.name);
      }
      onClose();
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      onClose={onClose}
      title={isRegeneration ? t('branch.title.regenerate') : t('branch.title')}
      description={t('branch.lead')}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          void submit();
        }}
      >
        {isRegeneration ? null : (
          <label className="field">
            <span>{t('branch.name')}</span>
            <input
              className="input"
              value={name}
              onChange={(event) => setName(event.target.value)}
              placeholder={t('branch.name.auto')}
              maxLength={200}
              autoFocus
            />
          </label>
        )}
        <ModelFields
          providers={providers.data?.providers ?? []}
          provider={form.provider}
          model={form.model}
          note={inherited(changes.provider === undefined)}
          onChange={(choice) => setForm((before) => ({ ...before, ...choice }))}
        />
        <ThinkingField
          value={form.thinking}
          model={model ?? null}
          note={inherited(changes.thinking === undefined)}
          onChange={(thinking) => setForm((before) => ({ ...before, thinking }))}
        />
        {isRegeneration ? null : (
          <PromptAndTools
            form={form}
            tools={tools.data?.tools ?? []}
            promptNote={inherited(changes.systemPrompt === undefined)}
            toolsNote={inherited(changes.tools === undefined)}
            onChange={(change) => setForm((before) => ({ ...before, ...change }))}
          />
        )}
        <SwitchPreview
          projectId={projectId}
          source={source}
          changes={changes}
          fromNodeId={fromNodeId}
          regenerateNodeId={regenerateNodeId}
        />
        {problem === null ? null : <Problem message={problem} />}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {t('dialog.cancel')}
          </button>
          <button type="submit" className="button primary" disabled={busy || form.model.trim() === ''}>
            {isRegeneration ? t('branch.regenerate') : t('branch.create')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
