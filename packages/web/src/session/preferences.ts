import { useSyncExternalStore } from 'react';
import type { Language } from '../i18n/index.ts';

/** What this browser remembers. Nothing secret, nothing that the server needs. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly language: Language;
  readonly reasoningOpen: boolean;
  readonly developer: boolean;
  readonly sidebarOpen: boolean;
  readonly sidebarWidth: number;
  readonly panelOpen: boolean;
  readonly panelWidth: number;
  readonly panel: 'graph' | 'context' | 'details';
  /** From where pictures are shown without asking. */
  readonly pictureHosts: readonly string[];
  /** Show notifications of the browser, which has to allow it as well. */
  readonly notify: boolean;
  /** The offer to do so was answered, one way or the other. */
  readonly notifyAnswered: boolean;
  readonly openFolders: readonly string[];
}

const KEY = 'bough.preferences';
/** Where the side panels cover the conversation instead of being next to it. */
export const isNarrow = (): boolean => window.matchMedia('(max-width: 900px)').matches;

function initial(): Preferences {
  const defaults: Preferences = {
    theme: 'system',
    language: navigator.language.startsWith('zh') ? 'zh' : 'en',
    reasoningOpen: false,
    developer: false,
    sidebarOpen: !isNarrow(),
    sidebarWidth: 270,
    panelOpen: !isNarrow(),
    panelWidth: 340,
    panel: 'graph',
    pictureHosts: [],
    notify: false,
    notifyAnswered: false,
    openFolders: [],
  };
  return { ...defaults, ...stored(), ...(isNarrow() ? { sidebarOpen: false, panelOpen: false } : {}) };
}

/** What was chosen in this browser, in whichever tab. */
function stored(): Partial<Preferences> {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    // Only this page writes it; an unknown field does no harm.
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DOMException) return {};
    throw error;
  }
}

let current: Preferences | null = null;
const listeners = new Set<() => void>();
const read = (): Preferences => (current ??= initial());

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...read(), ...change };
  try {
    // Nothing but what was changed: another tab may have changed the rest since this one read it.
    localStorage.setItem(KEY, JSON.stringify({ ...stored(), ...change }));
  } catch (error) {
    // In a browser that stores nothing, the page still works; it only forgets.
    if (!(error instanceof DOMException)) throw error;
  }
  for (const listener of listeners) listener();
}

export const readPreferences = read;

export function usePreferences(): Preferences {
  return useSyncExternalStore((listener) => {
    const follow = ({ key }: StorageEvent): void => {
      if (key !== KEY) return;
      const before = read();
      const { theme, language } = { ...before, ...stored() };
      if (theme === before.theme && language === before.language) return;
      // Where its panels are is each tab's own affair.
      current = { ...before, theme, language };
      for (const each of listeners) each();
    };
    listeners.add(listener);
    window.addEventListener('storage', follow);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', follow);
    };
  }, read);
}
