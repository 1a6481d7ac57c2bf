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
    const name = known ?? randomName();
    sessionStorage.setItem(KEY, name);
    return name;
  } catch (error) {
    // A browser that stores nothing.
    if (error instanceof DOMException) return randomName();
    throw error;
  }
}

/** Not `randomUUID`, which pages that are served over plain HTTP do not have. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join('');
}
