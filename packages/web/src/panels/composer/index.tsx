import type { BranchView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { isComposing, isSendKey } from '../../parts/enter-key.ts';
import { AskManyIcon, SendIcon, StopIcon, SwapIcon } from '../../parts/icons.tsx';
import { AttachButton } from '../../parts/files/attach-button.tsx';
import { FileChips } from '../../parts/files/chips.tsx';
import { FilesFate } from '../../parts/files/fate.tsx';
import { DropZone } from '../../parts/files/drop.tsx';
import { HoldUp } from '../../parts/files/hold-up.tsx';
import { Problem } from '../../parts/problem.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { changeBranch } from '../../session/branch-changes.ts';
import { composerKey, onInsert, takeComposerFocus, tellSent } from '../../session/composer-bus.ts';
import { draftOf, useAttachments } from '../../session/attachments.ts';
import { readDraft, useDraftOfTabs } from '../../session/drafts.ts';
import { wasDeclined } from '../../session/over-budget.ts';
import { useOutbox } from '../../session/outbox.ts';
import { enqueue, useQueue } from '../../session/queue.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { providersQuery, toolsQuery } from '../../session/queries.ts';
import { sendMessage } from '../../session/send.ts';
import { stopReplies } from '../../session/stop.ts';
import type { Written } from '../../view/message-content.ts';
import { isBlank } from '../../view/message-content.ts';
import { joinDraft, LONG_PASTE } from '../../view/message-draft.ts';
import { modelLabel } from '../../view/model-label.ts';
import { AskManyDialog } from '../ask-many/lazy.tsx';
import { BudgetNotice } from '../budgets/notice.tsx';
import { usePrompts } from '../prompts/use-prompts.tsx';
import { OtherDraft } from './other-draft.tsx';
import { Pastes } from './pastes.tsx';
import { Queue } from './queue.tsx';
import { ThinkingChoice } from './thinking-choice.tsx';
import { ToolChoice } from './tool-choice.tsx';
import { errorText } from '../../view/error-text.ts';
import './composer.css';

const ProviderToolsDialog = lazy(() =>
  import('../provider-tools/index.tsx').then(({ ProviderToolsDialog: component }) => ({ default: component })),
);
const BranchDialog = lazy(() =>
  import('../branch-dialog/index.tsx').then(({ BranchDialog: component }) => ({ default: component })),
);

/** Where messages are written. A draft is kept per branch; while a turn runs, the next message is queued. */
export function Composer({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const [text, setText] = useState(() => readDraft(projectId, branch.id));
  const [pastes, setPastes] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [isHeldUp, setHeldUp] = useState(false);
  const [switching, setSwitching] = useState(false);
  const [settingUp, setSettingUp] = useState(false);
  const [asking, setAsking] = useState<Written | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const here = { projectId, branchId: branch.id };
  const queue = useQueue(here);
  const providers = useQuery(providersQuery);
  const nameOf = useProviderName();
  const tools = useQuery(toolsQuery);
  const prompts = usePrompts({ text, write: setText, area });
  const files = useAttachments(draftOf(projectId, branch.id));
  const { addBlocks } = files;
  const isLeftOut = branch.filesOtherwise === 'omit';
  // Also what was sent from elsewhere, as the first message of a project is.
  const sending = useOutbox(projectId, branch.id).some((message) => message.problem === null);
  const running = branch.runningTurnId !== null || sending;
  const model = providers.data?.providers
    .find((provider) => provider.id === branch.provider)
    ?.models.find((each) => each.id === branch.model);

  const isEmpty = isBlank({ text: joinDraft(text, pastes), files: files.blocks });
  const draft = pastes.length === 0 ? text : joinDraft(text, pastes);
  const tabs = useDraftOfTabs(projectId, branch.id, draft, (followed) => {
    setText(followed);
    setPastes([]);
  });
  useEffect(
    () =>
      onInsert((inserted) => {
        setText((before) => (before === '' ? inserted.text : `${before}\n${inserted.text}`));
        addBlocks(inserted.files);
        area.current?.focus();
      }),
    [addBlocks],
  );
  useEffect(() => void takeComposerFocus(), [branch.name]);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, window.innerHeight * 0.4)}px`;
  }, [text]);

  const clear = (): void => {
    setText('');
    setPastes([]);
    files.replace([]);
  };
  const send = async (message: Written): Promise<void> => {
    setProblem(null);
    clear();
    tellSent();
    try {
      await sendMessage(projectId, branch, message);
    } catch (error) {
      // Nothing that was written is lost: it returns to where it came from.
      setText((after) => (after === '' ? message.text : after));
      addBlocks(message.files);
      if (!wasDeclined(error)) setProblem(errorText(error));
    }
  };

  /** What is written, if it can be sent; otherwise the reader is told why not. */
  const written = (): Written | null => {
    const message = { text: joinDraft(text, pastes), files: files.blocks };
    if (isBlank(message)) return null;
    const mayGo = !files.isBusy && !files.hasFailed;
    setHeldUp(!mayGo);
    return mayGo ? message : null;
  };
  const submit = (): void => {
    const message = written();
    if (message === null) return;
    // Behind what waits already, even if that was refused: it must not be overtaken.
    if (running || queue.length > 0) {
      enqueue(here, message);
      clear();
    } else {
      void send(message);
    }
  };
  const stop = async (): Promise<void> => {
    try {
      await stopReplies(projectId, { ref: branch.name });
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  const update = async (change: Parameters<typeof changeBranch>[2]): Promise<void> => {
    try {
      await changeBranch(projectId, branch.id, change);
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
        {isHeldUp ? <HoldUp isBusy={files.isBusy} hasFailed={files.hasFailed} /> : null}
        {tabs.other === null ? null : (
          <OtherDraft
            text={tabs.other.text}
            onTake={() => {
              tabs.swap();
              area.current?.focus();
            }}
            onDismiss={() => {
              tabs.dismiss();
              area.current?.focus();
            }}
          />
        )}
        <BudgetNotice projectId={projectId} />
        <Queue branch={here} queue={queue} onEmptied={() => area.current?.focus()} />
        {prompts.menu}
        <div className="composer-box">
          <FileChips attachments={files} onRemoved={() => area.current?.focus()} />
          <FilesFate
            files={files.blocks}
            providers={providers.data?.providers ?? []}
            provider={branch.provider}
            model={branch.model}
            otherwise={branch.filesOtherwise}
          >
            <button
              type="button"
              className="button small"
              disabled={running}
              onClick={() => void update({ filesOtherwise: isLeftOut ? 'text' : 'omit' })}
            >
              {t(isLeftOut ? 'files.fate.asText' : 'files.fate.leaveOut')}
            </button>
            <button type="button" className="button small quiet" onClick={() => setSwitching(true)}>
              {t('composer.switch')}
            </button>
          </FilesFate>
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
            dir="auto"
            rows={1}
            value={text}
            aria-label={t('composer.label')}
            placeholder={t('composer.placeholder')}
            {...prompts.attributes}
            onChange={(event) => setText(event.target.value)}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData('text/plain');
              // A table that is copied comes as words and as a picture of them: the words are meant.
              if (pasted === '' && event.clipboardData.files.length > 0) {
                event.preventDefault();
                files.add(event.clipboardData.files);
                return;
              }
              if (pasted.length < LONG_PASTE) return;
              event.preventDefault();
              setPastes((before) => [...before, pasted]);
            }}
            onKeyDown={(event) => {
              if (prompts.onKeyDown(event)) return;
              if (event.key === 'Escape' && !isComposing(event)) event.currentTarget.blur();
              if (!isSendKey(event)) return;
              event.preventDefault();
              submit();
            }}
          />
          <div className="composer-bar">
            <AttachButton onFiles={files.add} />
            <button
              type="button"
              className="button quiet model"
              title={t('composer.locked', { model: `${nameOf(branch.provider)} · ${branch.model}` })}
              onClick={() => setSwitching(true)}
            >
              <span className="model-name">
                {modelLabel(providers.data?.providers ?? [], branch.provider, branch.model)}
              </span>
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
              offered={model?.providerTools ?? []}
              provided={branch.providerTools}
              onProvide={(provided) => void update({ providerTools: provided })}
              onSetUp={() => setSettingUp(true)}
            />
            <span className="spacer" />
            {running ? (
              <button type="button" className="button stop" aria-label={t('composer.stop')} onClick={() => void stop()}>
                <StopIcon />
                <span className="word">{t('composer.stop')}</span>
              </button>
            ) : (
              // Not beside a running reply: asked into it, nobody could say what the question follows.
              <IconButton
                label={t('ask.open')}
                disabled={isEmpty || queue.length > 0}
                onClick={() => setAsking(written())}
              >
                <AskManyIcon />
              </IconButton>
            )}
            <button
              type="submit"
              className="button primary send"
              disabled={isEmpty}
              aria-label={running ? t('composer.queue') : t('composer.send')}
              title={t('composer.hint')}
            >
              <SendIcon />
            </button>
          </div>
        </div>
      </form>
      <DropZone onFiles={files.add} />
      {/* Outside the form: submitting the dialog inside it would submit this form too. */}
      {prompts.dialog}
      <Suspense fallback={null}>
        {switching ? <BranchDialog projectId={projectId} source={branch} onClose={() => setSwitching(false)} /> : null}
        {asking === null ? null : (
          <AskManyDialog
            projectId={projectId}
            branch={branch}
            question={{ message: asking }}
            onAsked={clear}
            onClose={() => setAsking(null)}
          />
        )}
        {settingUp ? (
          <ProviderToolsDialog
            projectId={projectId}
            branch={branch}
            offered={model?.providerTools ?? []}
            onClose={() => setSettingUp(false)}
          />
        ) : null}
      </Suspense>
    </>
  );
}
