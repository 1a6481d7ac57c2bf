import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { useT } from '../i18n/index.ts';
import { SidebarToggle } from '../parts/sidebar-toggle.tsx';
import { useTitle } from '../parts/title.ts';
import { queryClient } from '../session/queries.ts';
import { reload } from '../session/reload.ts';
import { errorText } from '../view/error-text.ts';
import { isPartMissing } from '../view/part-missing.ts';

/** A page that threw while it was drawn. Everything around it is still there. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const t = useT();
  useTitle(t('error.thrown'));
  // The server is away, or was updated since this page was opened: its parts have other names then.
  const isPart = isPartMissing(error);
  const again = async (): Promise<void> => {
    if (isPart) return reload();
    // What was read may be what could not be drawn.
    await queryClient.resetQueries();
    reset();
  };
  return (
    <main className="main" id="conversation">
      <div className="topbar">
        <SidebarToggle />
      </div>
      <div className="welcome" role="alert">
        <h1>{t('error.thrown')}</h1>
        <p>{t(isPart ? 'error.part.why' : 'error.thrown.why')}</p>
        <p className="welcome-actions">
          <button type="button" className="button" onClick={() => void again()}>
            {t('stale.retry')}
          </button>
          <Link to="/" className="button">
            {t('palette.home')}
          </Link>
        </p>
        <details className="more">
          <summary>{t('error.thrown.details')}</summary>
          <pre className="raw">{errorText(error)}</pre>
        </details>
      </div>
    </main>
  );
}
