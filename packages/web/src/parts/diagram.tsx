import type { ReactNode } from 'react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Drawn } from '../diagrams/ask.ts';
import { askForDiagram } from '../diagrams/ask.ts';
import { useT } from '../i18n/index.ts';
import './diagram.css';

interface DiagramProps {
  readonly source: string;
  /** The same as code: until it is drawn, if it cannot be, and for readers who want to see it. */
  readonly code: ReactNode;
}

const VIEWS = ['show', 'source'] as const;

/** A Mermaid block as a picture. The picture runs nothing and fetches nothing, whatever a model wrote into it. */
export function Diagram({ source, code }: DiagramProps) {
  const t = useT();
  const isDark = useIsDark();
  const [view, setView] = useState<(typeof VIEWS)[number]>('show');
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  useEffect(() => {
    let isWanted = true;
    const draw = async (): Promise<void> => {
      const next = await askForDiagram(source, isDark);
      if (isWanted) setDrawn(next);
    };
    void draw();
    return () => {
      isWanted = false;
    };
  }, [source, isDark]);
  if (drawn === null || drawn.kind !== 'drawn')
    return (
      <div className="diagram">
        <p className="diagram-note" role="status">
          {drawn === null ? t('diagram.drawing') : t(`diagram.${drawn.kind}`)}
        </p>
        {code}
      </div>
    );
  const { url, width, height } = drawn;
  return (
    <div className="diagram">
      <div className="diagram-views" role="group" aria-label={t('diagram.view')}>
        {VIEWS.map((each) => (
          <button
            key={each}
            type="button"
            className="button small quiet"
            aria-pressed={view === each}
            onClick={() => setView(each)}
          >
            {t(`diagram.${each}`)}
          </button>
        ))}
      </div>
      {view === 'source' ? (
        code
      ) : (
        <div
          className="diagram-picture"
          data-dark={isDark ? '' : undefined}
          tabIndex={0}
          role="group"
          aria-label={t('diagram.label')}
        >
          <img src={url} width={width} height={height} alt={t('diagram.label')} />
        </div>
      )}
    </div>
  );
}

/** The theme as it is applied, whoever chose it. */
function useIsDark(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const observer = new MutationObserver(listener);
      observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
      return () => observer.disconnect();
    },
    () => document.documentElement.dataset['theme'] === 'dark',
  );
}
