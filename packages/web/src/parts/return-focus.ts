import { useState } from 'react';
import { takeComposerFocus } from '../session/composer-bus.ts';
import { keepFocus } from './keep-focus.ts';

/**
 * Returns the keyboard focus to what opened a dialog. Looked up while the dialog is first rendered: a moment later, one
 * of its own fields may already have the focus.
 */
export function useReturnFocus(): (event: Event) => void {
  const [[opener, before]] = useState(findOpener);
  return (event) => {
    event.preventDefault();
    if (takeComposerFocus()) return;
    // A dialog that was opened by this one has the focus by now.
    const isTaken = document.activeElement !== null && document.activeElement !== document.body;
    const target = opener?.isConnected === true ? opener : before;
    if (isTaken || !(target instanceof HTMLElement)) return;
    target.focus();
    // What was decided in the dialog may take it away: a deleted message goes with its menu.
    keepFocus(target);
  };
}

/** What opened the newest dialog from the page itself. */
let fromPage: Element | null = null;

/**
 * What has the focus now, and what opened the dialog that it is in. A command of the palette opens another dialog in
 * its place: when that closes, the palette is gone.
 */
function findOpener(): readonly [opener: Element | null, before: Element | null] {
  const opener = openerOf(document.activeElement);
  // The palette is hidden while the code of the dialog is loaded, and nothing has the focus.
  if (opener === document.body) return [fromPage, fromPage];
  if (opener?.closest('[role="dialog"]') == null) fromPage = opener;
  return [opener, fromPage];
}

/** A menu item is gone when the dialog closes; the button of its menu, which names the menu, is still there. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]') ?? null;
  return menu === null ? element : document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
}
