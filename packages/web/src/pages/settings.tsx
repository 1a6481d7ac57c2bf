import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useT } from '../i18n/later/index.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { PanelSkeleton } from '../parts/skeleton.tsx';
import { providersQuery } from '../session/queries.ts';
import { useCurrentSection } from './settings/current-section.ts';
import { SECTIONS } from './settings/sections.tsx';
import './settings/settings.css';

/** The frame of the settings: what there is, where one is, and the sections below each other. */
export function Settings() {
  const t = useT();
  const providers = useQuery(providersQuery);
  const scroller = useRef<HTMLDivElement | null>(null);
  const isReady = providers.data !== undefined;
  const current = useCurrentSection(scroller, isReady);
  const waiting = SECTIONS.find(({ needsProviders }) => needsProviders === true)?.id;
  return (
    <Page title={t('settings.title')}>
      <div className="settings-frame">
        <nav className="settings-nav" aria-label={t('settings.sections')}>
          <ul>
            {SECTIONS.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`} aria-current={current === id ? 'true' : undefined}>
                  {t(title)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="page" ref={scroller}>
          <div className="page-inner settings">
            {SECTIONS.map(({ id, title, Content, needsProviders = false }) => {
              if (!needsProviders || isReady) {
                return (
                  <section key={id} id={id} aria-labelledby={`${id}-title`}>
                    <h2 id={`${id}-title`}>{t(title)}</h2>
                    <Content />
                  </section>
                );
              }
              if (id !== waiting) return null;
              return providers.isError ? (
                <Problem key={id} message={providers.error.message} />
              ) : (
                <PanelSkeleton key={id} shape="list" failures={providers.failureCount} />
              );
            })}
          </div>
        </div>
      </div>
    </Page>
  );
}
