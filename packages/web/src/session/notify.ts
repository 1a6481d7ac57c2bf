import type { News } from '../view/news.ts';
import { readPreferences, setPreferences } from './preferences.ts';

interface Words {
  readonly title: string;
  readonly body: string;
}

// Set by the frame of the page, which knows the reader's language and how to go somewhere.
let wordsOf: (news: News) => Words = ({ projectName, branch }) => ({ title: projectName, body: branch });
let open: (news: News) => void = () => undefined;

export function setAnnouncer(words: typeof wordsOf, go: typeof open): void {
  wordsOf = words;
  open = go;
}

export const canNotify = (): boolean => 'Notification' in window;

/** Asks the browser, which asks the person: only ever after a click. */
export async function allowNotifications(): Promise<boolean> {
  const isGranted = canNotify() && (await Notification.requestPermission()) === 'granted';
  setPreferences({ notify: isGranted, notifyAnswered: true });
  return isGranted;
}

/** For somebody who is in another window or tab. Whoever looks at the page sees it in the sidebar. */
export function announce(news: News): void {
  const isAway = document.visibilityState === 'hidden' || !document.hasFocus();
  if (!isAway || !readPreferences().notify || !canNotify() || Notification.permission !== 'granted') return;
  const { title, body } = wordsOf(news);
  try {
    // The tag: several tabs tell the same, and it is shown once.
    const shown = new Notification(title, { body, tag: `bough ${news.branchId}`, icon: '/icon.svg' });
    shown.addEventListener('click', () => {
      window.focus();
      open(news);
      shown.close();
    });
  } catch (error) {
    // Browsers of phones have the class but allow it only in workers.
    if (!(error instanceof TypeError)) throw error;
  }
}
