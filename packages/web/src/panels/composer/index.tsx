import type { BranchView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { SendIcon, StopIcon, SwapIcon } from '../../parts/icons.tsx';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { composerKey, onInsert, takeComposerFocus, tellSent } from '../../session/composer-bus.ts';
import { readDraft, writeDraft } from '../../session/drafts.ts';
import { enqueue, useQueue } from '../../session/queue.ts';
import { providersQuery, refreshProject, toolsQuery } from '../../session/queries.ts';
import { sendMessage } from '../../session/send.ts';
import { joinDraft, LONG_PASTE } from '../../view/message-draft.ts';
import { Pastes } from './pastes.tsx';
import { Queue } from './queue.tsx';
import { ThinkingChoice } from './thinking-choice.tsx';
import { ToolChoice } from './tool-choice.tsx';
import { errorText } from '../../view/error-text.ts';
import './composer.css';

const BranchDialog = lazy(() =>
  import('../branch-dialog/index.tsx').then(({ BranchDialog: component }) => ({ default: component })),
);

/** Where messages are written. A draft is kept per branch; while a turn runs, the next message is queued. */
export function Composer({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const [text, setText] = useState(() => readDraft(projectId, branch.id));
  const [pastes, setPastes] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [switching, setSwitching] = useState(false);
  const [sending, setSending] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const here = { projectId, branchId: branch.id };
  const queue = useQueue(here);
  const providers = useQuery(providersQuery);
  const tools = useQuery(toolsQuery);
  const running = branch.runningTurnId !== null || sending;
  const model = providers.data?.providers
    .find((provider) => provider.id === branch.provider)
    ?.models.find((each) => each.id === branch.model);

  useEffect(
    () => writeDraft(projectId, branch.id, pastes.length === 0 ? text : joinDraft(text, pastes)),
    [projectId, branch.id, text, pastes],
  );
  useEffect(
    () =>
      onInsert((inserted) => {
        setText((before) => (before === '' ? inserted : `${before}\n${inserted}`));
        area.current?.focus();
      }),
    [],
  );
  useEffect(() => void takeComposerFocus(), [branch.name]);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, window.innerHeight * 0.4)}px`;
  }, [text]);

  const send = async (message: string): Promise<void> => {
    setProblem(null);
    setSending(true);
    setText('');
    setPastes([]);
    tellSent();
    try {
      await sendMessage(projectId, branch, message);
    } catch (error) {
      // Nothing that was written is lost: it returns to where it came from.
      setText((after) => (after === '' ? message : after));
      setProblem(errorText(error));
    } finally {
      setSending(false);
    }
  };

  const submit = (): void => {
    const message = joinDraft(text, pastes);
    if (message === '') return;
    // Behind what waits already, even if that was refused: it must not be overtaken.
    if (running || queue.length > 0) {
      enqueue(here, message);
      setText('');
      setPastes([]);
    } else {
      void send(message);
    }
  };
  const stop = async (): Promise<void> => {
    try {
      await client.interrupt(projectId, { ref: branch.name });
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  const update = async (change: Parameters<typeof client.updateBranch>[2]): Promise<void> => {
    try {
      await client.updateBranch(projectId, branch.name, change);
      await refreshProject(projectId);
    } catch (error) {
      setProblem(errorText(error));
    }
  };

  return (
    <>
      <form
        className="composer"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {problem === null ? null : <Problem message={problem} />}
        <Queue branch={here} queue={queue} onEmptied={() => area.current?.focus()} />
        <div className="composer-box">
          <Pastes
            pastes={pastes}
            onExpand={(index) => {
              setText((before) => joinDraft(before, [pastes[index] ?? '']));
              setPastes(pastes.filter((_, at) => at !== index));
            }}
            onRemove={(index) => setPastes(pastes.filter((_, at) => at !== index))}
          />
          <textarea
            ref={area}
            id="composer"
            data-branch={composerKey(projectId, branch.name)}
            rows={1}
            value={text}
            aria-label={t('composer.label')}
            placeholder={t('composer.placeholder')}
            onChange={(event) => setText(event.target.value)}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData('text/plain');
              if (pasted.length < LONG_PASTE) return;
              event.preventDefault();
              setPastes((before) => [...before, pasted]);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur();
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              submit();
            }}
          />
          <div className="composer-bar">
            <button
              type="button"
              className="button quiet model"
              title={t('composer.locked', { model: `${branch.provider} / ${branch.model}` })}
              onClick={() => setSwitching(true)}
            >
              <span className="model-name">{model?.label ?? branch.model}</span>
              <SwapIcon />
              <span className="visually-hidden">. {t('composer.switch')}</span>
            </button>
            <ThinkingChoice
              value={branch.thinking}
              model={model ?? null}
              disabled={running}
              onChange={(thinking) => void update({ thinking })}
            />
            <ToolChoice
              tools={tools.data?.tools ?? []}
              chosen={branch.tools}
              disabled={running}
              onChange={(chosen) => void update({ tools: [...chosen] })}
            />
            <span className="spacer" />
            {running ? (
              <button type="button" className="button" onClick={() => void stop()}>
                <StopIcon />
                {t('composer.stop')}
              </button>
            ) : null}
            <button
              type="submit"
              className="button primary send"
              disabled={joinDraft(text, pastes) === ''}
              aria-label={running ? t('composer.queue') : t('composer.send')}
              title={t('composer.hint')}
            >
              <SendIcon />
            </button>
          </div>
        </div>
      </form>
      {/* Outside the form: submitting the dialog inside it would submit this form too. */}
      <Suspense fallback={null}>
        {switching ? <BranchDialog projectId={projectId} source={branch} onClose={() => setSwitching(false)} /> : null}
      </Suspense>
    </>
  );
}
