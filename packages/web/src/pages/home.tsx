import type { ProviderListView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useT } from '../i18n/index.ts';
import { isSendKey } from '../parts/enter-key.ts';
import { PresetSelect, PresetTrouble } from '../panels/presets/preset-select.tsx';
import { usePrompts } from '../panels/prompts/use-prompts.tsx';
import { AttachButton } from '../parts/files/attach-button.tsx';
import { FileChips } from '../parts/files/chips.tsx';
import { FilesFate } from '../parts/files/fate.tsx';
import { DropZone } from '../parts/files/drop.tsx';
import { HoldUp } from '../parts/files/hold-up.tsx';
import { SendIcon, UploadIcon } from '../parts/icons.tsx';
import { ModelFields } from '../parts/model-fields.tsx';
import { Problem } from '../parts/problem.tsx';
import { SidebarToggle } from '../parts/sidebar-toggle.tsx';
import { useTitle } from '../parts/title.ts';
import { draftOf, keepAttachments, useAttachments } from '../session/attachments.ts';
import { useCreateProject } from '../session/create-project.ts';
import { readDraft, writeDraft } from '../session/drafts.ts';
import { presetsQuery } from '../session/library.ts';
import { projectsQuery, providersQuery } from '../session/queries.ts';
import { useAttempt } from '../session/use-attempt.ts';
import { isBlank } from '../view/message-content.ts';
import '../panels/composer/composer.css';
import './home/home.css';

const RECENT = 5;
const EXAMPLES = ['home.example.1', 'home.example.2', 'home.example.3'] as const;

/** The first page: a message that is written here begins a project. */
export function Home() {
  const t = useT();
  useTitle();
  const projects = useQuery(projectsQuery());
  const providers = useQuery(providersQuery);
  const recent = projects.data?.projects.slice(0, RECENT) ?? [];
  const simulated = providers.data?.defaults.provider.startsWith('simulated') === true;
  return (
    <main className="main home" id="conversation">
      <div className="topbar">
        <SidebarToggle />
      </div>
      <div className="home-body">
        <div className="welcome">
          <img src="/icon.svg" alt="" width="56" height="56" />
          <h1>{t('conversation.empty.title')}</h1>
          <p>{t('conversation.empty.body')}</p>
        </div>
        <FirstMessage models={providers.data ?? NOT_YET} />
        {simulated ? (
          <p className="notice home-notice">
            <span>{t('conversation.simulated')}</span>
            <Link to="/settings" hash="providers" className="button small">
              {t('home.key')}
            </Link>
          </p>
        ) : null}
        <p className="home-import">
          <Link to="/import" className="button small quiet">
            <UploadIcon />
            {t('import.open')}
          </Link>
        </p>
        {recent.length === 0 ? null : (
          <section className="home-recent">
            <h2 id="recent">{t('home.recent')}</h2>
            <ul aria-labelledby="recent">
              {recent.map(({ id, name }) => (
                <li key={id}>
                  <Link to="/p/$projectId" params={{ projectId: id }}>
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )}
        {projects.isError ? <Problem message={projects.error.message} /> : null}
        {providers.isError ? <Problem message={providers.error.message} /> : null}
      </div>
    </main>
  );
}

/** Where its draft is kept: it belongs to no project yet. */
const NOWHERE = ['home', 'new'] as const;

/** Until the models are known, one can write and send: the server knows its own defaults. */
const NOT_YET: ProviderListView = { providers: [], defaults: { provider: '', model: '' } };

function FirstMessage({ models: { providers, defaults } }: { readonly models: ProviderListView }) {
  const t = useT();
  const [text, setText] = useState(() => readDraft(...NOWHERE));
  const [chosen, setChosen] = useState<ProviderListView['defaults'] | null>(null);
  const { busy, problem, run } = useAttempt();
  const [isHeldUp, setHeldUp] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  // Whoever is already writing in another field would go on here without noticing.
  useEffect(() => {
    if (document.activeElement?.matches('input, textarea, select') !== true) area.current?.focus();
  }, []);
  const create = useCreateProject();
  const { data: stored } = useQuery(presetsQuery);
  const presets = stored ?? [];
  /** Null: none; undefined: whichever is the default. */
  const [taken, setTaken] = useState<string | null | undefined>(undefined);
  const preset = presets.find(({ id, isDefault }) => (taken === undefined ? isDefault : id === taken));
  const { provider, model } = chosen ?? preset ?? defaults;
  const isKnown = stored !== undefined && providers.length > 0;
  const canSend = chosen === null || model.trim() !== '';
  const write = (next: string): void => {
    setText(next);
    writeDraft(...NOWHERE, next);
  };
  const prompts = usePrompts({ text, write, area });
  const files = useAttachments(draftOf(...NOWHERE));
  const send = async (): Promise<void> => {
    const message = { text: text.trim(), files: files.blocks };
    if (isBlank(message) || busy || !canSend) return;
    setHeldUp(files.isBusy || files.hasFailed);
    if (files.isBusy || files.hasFailed) return;
    await run(async () => {
      await create({
        ...(isKnown || chosen !== null ? { preset: preset?.id ?? null, provider, model: model.trim() } : {}),
        message,
        onMade: () => {
          writeDraft(...NOWHERE, '');
          keepAttachments(draftOf(...NOWHERE), []);
        },
      });
    });
  };
  return (
    <>
      <form
        className="composer home-composer"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {problem === null ? null : <Problem message={problem} />}
        {isHeldUp ? <HoldUp isBusy={files.isBusy} hasFailed={files.hasFailed} /> : null}
        <PresetTrouble preset={chosen === null ? preset : undefined} />
        {prompts.menu}
        <div className="composer-box">
          <FileChips attachments={files} onRemoved={() => area.current?.focus()} />
          <FilesFate files={files.blocks} providers={providers} provider={provider} model={model} otherwise="text" />
          <textarea
            ref={area}
            id="composer"
            dir="auto"
            rows={3}
            value={text}
            // What is on its way is what is on the screen.
            readOnly={busy}
            aria-label={t('composer.label')}
            placeholder={t('composer.placeholder')}
            {...prompts.attributes}
            onChange={(event) => write(event.target.value)}
            onPaste={(event) => {
              const { clipboardData: pasted } = event;
              if (pasted.getData('text/plain') !== '' || pasted.files.length === 0) return;
              event.preventDefault();
              files.add(pasted.files);
            }}
            onKeyDown={(event) => {
              if (prompts.onKeyDown(event)) return;
              if (!isSendKey(event)) return;
              event.preventDefault();
              void send();
            }}
          />
          <div className="composer-bar">
            <AttachButton onFiles={files.add} />
            {presets.length === 0 ? null : (
              <PresetSelect
                presets={presets}
                value={preset?.id ?? ''}
                label={t('presets.one')}
                hideLabel
                others={[{ value: '', label: t('presets.none') }]}
                onChange={(value) => {
                  setTaken(value === '' ? null : value);
                  setChosen(null);
                }}
              />
            )}
            {providers.length === 0 ? null : (
              <ModelFields providers={providers} provider={provider} model={model} hideLabels onChange={setChosen} />
            )}
            <span className="spacer" />
            <span className="home-sending" role="status">
              {busy ? t('outbox.sending') : null}
            </span>
            <button
              type="submit"
              className="button primary send"
              disabled={isBlank({ text, files: files.blocks }) || !canSend}
              aria-busy={busy}
              aria-label={t('composer.send')}
              title={t('composer.hint')}
            >
              <SendIcon />
            </button>
          </div>
        </div>
        <div className="home-examples" role="group" aria-label={t('home.examples')}>
          {EXAMPLES.map((example) => (
            <button
              key={example}
              type="button"
              className="button small"
              onClick={() => {
                write(t(example));
                area.current?.focus();
              }}
            >
              {t(example)}
            </button>
          ))}
        </div>
      </form>
      <DropZone onFiles={files.add} />
      {prompts.dialog}
    </>
  );
}
