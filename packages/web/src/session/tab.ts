import { newId } from './new-id.ts';

const KEY = 'bough.tab';

/**
 * Names this tab. A reload keeps the name; a duplicate of the tab, which begins with a copy of what the tab remembers,
 * gets one of its own.
 */
export const thisTab = nameOf();

function nameOf(): string {
  try {
    const [entry] = performance.getEntriesByType('navigation');
    const isReload = entry instanceof PerformanceNavigationTiming && entry.type === 'reload';
    const known = isReload ? sessionStorage.getItem(KEY) : null;
    const name = known ?? newId();
    sessionStorage.setItem(KEY, name);
    return name;
  } catch (error) {
    // A browser that stores nothing.
    if (error instanceof DOMException) return newId();
    throw error;
  }
}
