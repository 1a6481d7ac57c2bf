import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { BellIcon } from '../../parts/icons.tsx';
import { useNews } from '../../session/news.ts';
import { allowNotifications, canNotify } from '../../session/notify.ts';
import { setPreferences, usePreferences } from '../../session/preferences.ts';

/** Offers notifications once, when the first thing has happened elsewhere. The browser asks only after a click here. */
export function NewsOffer() {
  const t = useT();
  const news = useNews();
  const { notify, notifyAnswered } = usePreferences();
  const [isAsking, setAsking] = useState(false);
  const isOpen = canNotify() && Notification.permission === 'default' && !notify && !notifyAnswered;
  if (news.size === 0 || !isOpen) return null;
  const allow = async (): Promise<void> => {
    setAsking(true);
    await allowNotifications();
  };
  return (
    <div className="news-offer" role="status">
      <BellIcon />
      <p>{t('news.offer')}</p>
      <div className="news-offer-actions">
        <button type="button" className="button small" aria-busy={isAsking} onClick={() => void allow()}>
          {t('news.offer.yes')}
        </button>
        <button type="button" className="button small quiet" onClick={() => setPreferences({ notifyAnswered: true })}>
          {t('news.offer.no')}
        </button>
      </div>
    </div>
  );
}
