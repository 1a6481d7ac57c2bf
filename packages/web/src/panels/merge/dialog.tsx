import type { BranchView, MergePreview } from '@bough/api/client';
import { ApiError } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { SummaryState } from '../../parts/summary-state/index.tsx';
import { client } from '../../session/client.ts';
import { tellSent } from '../../session/composer-bus.ts';
import { askingFirst } from '../../session/over-budget.ts';
import { isNarrow, setPreferences } from '../../session/preferences.ts';
import { projectQuery, refreshProject } from '../../session/queries.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { messageCount } from '../../view/deletion.ts';
import { errorText } from '../../view/error-text.ts';
import type { MergeWay } from '../../view/merge.ts';
import { usualTarget, usualWay } from '../../view/merge.ts';
import { Targets } from './targets.tsx';
import { Ways } from './ways.tsx';
import './merge.css';

interface MergeDialogProps {
  readonly projectId: string;
  /** The branch that something is brought from; it stays as it is. */
  readonly branch: BranchView;
  /** The message whose menu this was opened from: then that message is brought, unless something else is chosen. */
  readonly nodeIds?: readonly string[];
  readonly onClose: () => void;
}

/** Brings what is new on a branch to another one: to which, what of it, and for how much. */
export function MergeDialog({ projectId, branch, nodeIds, onClose }: MergeDialogProps) {
  const t = useT();
  const { goTo } = useTurnActions(projectId, branch);
  const branches = useQuery(projectQuery(projectId)).data?.branches ?? [];
  const others = branches.filter(({ id }) => id !== branch.id);
  const [chosen, setChosen] = useState<string | null>(null);
  const target = others.find(({ id }) => id === chosen) ?? usualTarget(branch, others);
  const [way, setWay] = useState<MergeWay | null>(nodeIds === undefined ? null : 'messages');
  const [picked, setPicked] = useState<ReadonlySet<string> | null>(nodeIds === undefined ? null : new Set(nodeIds));
  const [instruction, setInstruction] = useState<string | null>(null);
  const [wasCancelled, setWasCancelled] = useState(false);
  const { busy, problem, run } = useAttempt();
  const writing = useRef<AbortController | null>(null);
  const into = target?.id ?? '';
  const asked = useQuery({
    // Below the project: what is said on either branch meanwhile changes it.
    queryKey: ['project', projectId, 'merge', branch.id, into],
    queryFn: () => client.mergePreview(projectId, { from: branch.id, into }),
    // Not what has just been brought: nothing of it would be new.
    enabled: target !== undefined && !busy,
    gcTime: 0,
    retry: false,
  });
  const preview = asked.isError ? undefined : asked.data;
  const by = way ?? (preview === undefined ? 'answer' : usualWay(preview));
  const offered = preview?.messages.map(({ node }) => node.id) ?? [];
  const brought = picked === null ? offered : offered.filter((id) => picked.has(id));

  const state = busy && by === 'summary' ? 'writing' : wasCancelled ? 'cancelled' : null;

  const submit = async (): Promise<void> => {
    setWasCancelled(false);
    const controller = new AbortController();
    writing.current = controller;
    const request = {
      from: branch.id,
      into,
      by,
      ...(by === 'messages' ? { nodeIds: brought } : {}),
      ...(by === 'summary' && instruction !== null ? { instruction } : {}),
    };
    const bring = async (): Promise<void> => {
      const made = await askingFirst((more) => client.merge(projectId, { ...request, ...more }, controller.signal));
      await refreshProject(projectId);
      // It covers what has just been brought.
      if (isNarrow()) setPreferences({ sidebarOpen: false });
      await goTo(made.branch.name);
      // It is the last message, and grows until it is formatted: at the end the page stays with it.
      tellSent();
      onClose();
    };
    await run(async () => {
      try {
        await bring();
      } catch (error) {
        if (!controller.signal.aborted) throw error;
        setWasCancelled(true);
        // It may have been brought the moment before: then nothing is new any more, and the dialog says so.
        void refreshProject(projectId);
      } finally {
        writing.current = null;
      }
    });
  };
  /** While a summary is written, what closes the dialog stops that first: it is paid for, and waits for an answer. */
  const close = (): void => {
    if (!busy) onClose();
    else if (by === 'summary') writing.current?.abort();
  };

  return (
    <Dialog open onClose={close} title={t('merge.title', { branch: branch.name })} description={t('merge.lead')}>
      <DialogForm
        save={t(by === 'summary' ? 'merge.save.summary' : 'merge.save')}
        canSave={preview !== undefined && canBring(preview, by, brought.length)}
        busy={busy}
        problem={problem}
        onSave={submit}
        onClose={close}
      >
        <Targets branches={branches} others={others} chosen={into} disabled={busy} onChoose={setChosen} />
        {asked.isPending && target !== undefined ? <Loading failures={asked.failureCount} /> : null}
        {asked.isError ? <Refused error={asked.error} source={branch.name} target={target?.name ?? ''} /> : null}
        {preview === undefined ? null : (
          <>
            <p className="merge-new">
              {t(`merge.since.${preview.since}`, {
                source: branch.name,
                target: preview.target.name,
                messages: messageCount(preview.messages.length, t),
              })}
            </p>
            <Ways
              preview={preview}
              by={by}
              brought={brought}
              isMissing={nodeIds !== undefined && nodeIds.every((id) => !offered.includes(id))}
              instruction={instruction ?? preview.summary.instruction}
              disabled={busy}
              onWay={setWay}
              onPick={(ids) => setPicked(new Set(ids))}
              onInstruction={setInstruction}
            />
          </>
        )}
        <SummaryState state={state} model={preview?.summary.model ?? ''} cancelled={t('merge.cancelled')} />
      </DialogForm>
    </Dialog>
  );
}

function canBring({ answer, summary }: MergePreview, by: MergeWay, messages: number): boolean {
  switch (by) {
    case 'answer':
      return answer !== null;
    case 'summary':
      return summary.unread === 0;
    case 'messages':
      return messages > 0;
  }
}

/** Why nothing can be brought there. That nothing is new is no failure. */
function Refused({
  error,
  source,
  target,
}: {
  readonly error: Error;
  readonly source: string;
  readonly target: string;
}) {
  const t = useT();
  const isNothing = error instanceof ApiError && error.code === 'nothing_to_merge';
  if (!isNothing) return <Problem message={errorText(error)} />;
  return (
    <p className="notice" role="status">
      {t('merge.nothing', { source, target })}
    </p>
  );
}
