import { Link } from '@tanstack/react-router';
import { useT } from '../i18n/index.ts';
import { SidebarToggle } from '../parts/sidebar-toggle.tsx';
import { useTitle } from '../parts/title.ts';

/** An address that leads nowhere: the page says so in the reader's language, with a way back. */
export function NoPage() {
  const t = useT();
  useTitle(t('error.page'));
  return (
    <main className="main" id="conversation">
      <div className="topbar">
        <SidebarToggle />
      </div>
      <div className="welcome">
        <h1>{t('error.page')}</h1>
        <Link to="/" className="button">
          {t('palette.home')}
        </Link>
      </div>
    </main>
  );
}
