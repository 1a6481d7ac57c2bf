/**
 * Lets the browser say, in Bough's own words, that the server cannot be reached (`public/sw.js`). Browsers offer this
 * to secure pages only, which includes those of the same machine; elsewhere they show their own page.
 */
export function registerOfflinePage(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/sw.js').catch((error: unknown) => {
      // A browser that refuses, for example in private mode, only lacks that page.
      console.warn('The page for times without a server could not be prepared.', error);
    });
  });
}
