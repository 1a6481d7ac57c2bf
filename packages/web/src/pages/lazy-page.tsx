import type { ComponentType, ReactNode } from 'react';
import { useEffect, useState } from 'react';
import type { MessageKey } from '../i18n/en.ts';
import { useT } from '../i18n/index.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { PanelSkeleton } from '../parts/skeleton.tsx';
import { reload } from '../session/reload.ts';

/**
 * A page that is loaded when it is first opened. If loading fails, the reader is told and can try again, with
 * everything else still there: the router would reload instead, and lose the whole page to an unreachable server.
 */
export function lazyPage(title: MessageKey, load: () => Promise<ComponentType>): () => ReactNode {
  let Loaded: ComponentType | null = null;
  return function LazyPage() {
    const [state, setState] = useState<'loading' | 'failed' | 'loaded'>('loading');
    useEffect(() => {
      let isWanted = true;
      const read = async (): Promise<void> => {
        try {
          Loaded ??= await load();
          if (isWanted) setState('loaded');
        } catch (error) {
          console.error('A page could not be loaded.', error);
          if (isWanted) setState('failed');
        }
      };
      void read();
      return () => {
        isWanted = false;
      };
    }, []);
    if (Loaded !== null) return <Loaded />;
    return <NotYet title={title} failed={state === 'failed'} />;
  };
}

function NotYet({ title, failed }: { readonly title: MessageKey; readonly failed: boolean }) {
  const t = useT();
  return (
    <Page title={t(title)}>
      {failed ? (
        <div className="welcome">
          <Problem message={t('error.part')} />
          <button type="button" className="button" onClick={() => void reload()}>
            {t('stale.retry')}
          </button>
        </div>
      ) : (
        <div className="page">
          <div className="page-inner">
            <PanelSkeleton shape="list" />
          </div>
        </div>
      )}
    </Page>
  );
}
