import type { ProviderListView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useT } from '../i18n/index.ts';
import { SendIcon } from '../parts/icons.tsx';
import { ModelFields } from '../parts/model-fields.tsx';
import { Problem } from '../parts/problem.tsx';
import { SidebarToggle } from '../parts/sidebar-toggle.tsx';
import { useTitle } from '../parts/title.ts';
import { useCreateProject } from '../session/create-project.ts';
import { readDraft, writeDraft } from '../session/drafts.ts';
import { projectsQuery, providersQuery } from '../session/queries.ts';
import { errorText } from '../view/error-text.ts';
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
        {providers.data === undefined ? null : <FirstMessage {...providers.data} />}
        {simulated ? (
          <p className="notice home-notice">
            <span>{t('conversation.simulated')}</span>
            <Link to="/settings" className="button small">
              {t('home.key')}
            </Link>
          </p>
        ) : null}
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

function FirstMessage({ providers, defaults }: ProviderListView) {
  const t = useT();
  const [text, setText] = useState(() => readDraft(...NOWHERE));
  const [chosen, setChosen] = useState<ProviderListView['defaults'] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const create = useCreateProject();
  const { provider, model } = chosen ?? defaults;
  const write = (next: string): void => {
    setText(next);
    writeDraft(...NOWHERE, next);
  };
  const send = async (): Promise<void> => {
    const message = text.trim();
    if (message === '' || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await create({ provider, model: model.trim(), message });
      writeDraft(...NOWHERE, '');
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  };
  return (
    <form
      className="composer home-composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {problem === null ? null : <Problem message={problem} />}
      <div className="composer-box">
        <textarea
          ref={area}
          id="composer"
          rows={3}
          value={text}
          aria-label={t('composer.label')}
          placeholder={t('composer.placeholder')}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void send();
          }}
          autoFocus
        />
        <div className="composer-bar">
          <ModelFields providers={providers} provider={provider} model={model} hideLabels onChange={setChosen} />
          <span className="spacer" />
          <button
            type="submit"
            className="button primary send"
            disabled={text.trim() === '' || model.trim() === ''}
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
  );
}
