import type { KeyboardEvent } from 'react';
import { isComposing } from '../../parts/enter-key.ts';
import { nextResult } from '../../view/search-groups.ts';

/** What a search shows in the sidebar, from the top: projects by their names, then what was found in them. */
const RESULTS = '.project-list .project-row > a, [data-result]';

/**
 * The arrow keys go from the box through the results and back, Enter in the box opens the first, Escape returns to it.
 */
export function moveThroughResults(event: KeyboardEvent<HTMLElement>): void {
  const sidebar = event.currentTarget.closest('.sidebar');
  const box = sidebar?.querySelector<HTMLInputElement>('input[type="search"]');
  if (sidebar == null || box == null || box.value.trim() === '' || isComposing(event)) return;
  const results = [...sidebar.querySelectorAll<HTMLElement>(RESULTS)];
  const at = results.findIndex((result) => result === document.activeElement);
  const isInBox = document.activeElement === box;
  // Anything else in the sidebar has keys of its own.
  if (!isInBox && at < 0) return;
  if (isInBox && event.key === 'Enter') {
    event.preventDefault();
    openFirst(sidebar, box);
    return;
  }
  if (isInBox && (event.key === 'Home' || event.key === 'End')) return;
  const next = !isInBox && event.key === 'Escape' ? -1 : nextResult(at, event.key, results.length);
  if (next === null) return;
  event.preventDefault();
  (next < 0 ? box : results[next])?.focus();
}

/** Enter opens what is found for these words: until then, the first line is what was found for those before. */
function openFirst(sidebar: Element, box: HTMLInputElement): void {
  const typed = box.value;
  const open = (): void => {
    const isWanted = box.value === typed && document.activeElement === box;
    if (isWanted && sidebar.querySelector('.sidebar-scroll [aria-busy="true"]') !== null) return;
    waiting.disconnect();
    if (isWanted) sidebar.querySelector<HTMLElement>(RESULTS)?.click();
  };
  const waiting = new MutationObserver(open);
  waiting.observe(sidebar, { subtree: true, childList: true, attributeFilter: ['aria-busy'] });
  open();
}
