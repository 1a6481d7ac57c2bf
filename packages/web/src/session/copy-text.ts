/**
 * Puts a text on the clipboard. Browsers offer the clipboard API only to secure pages; a plain HTTP page from another
 * machine copies the old way.
 */
export async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  const focused = document.activeElement;
  document.body.append(area);
  try {
    area.select();
    if (!document.execCommand('copy')) throw new Error('The browser does not let this page copy.');
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
