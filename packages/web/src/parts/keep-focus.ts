/**
 * If the element that has the keyboard goes away with it, the conversation has it, or the page: from the body, the next
 * Tab would start at the top.
 */
export function keepFocus(element: Element): void {
  const watch = new MutationObserver(() => {
    if (element.isConnected && document.activeElement === element) return;
    watch.disconnect();
    if (element.isConnected || document.activeElement !== document.body) return;
    const place = document.querySelector<HTMLElement>('.conversation') ?? document.getElementById('conversation');
    if (place?.tabIndex === -1) place.tabIndex = -1;
    place?.focus({ preventScroll: true });
  });
  watch.observe(document.body, { childList: true, subtree: true });
}
