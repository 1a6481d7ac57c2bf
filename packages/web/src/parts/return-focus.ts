import { useEffect, useState } from 'react';
import { takeComposerFocus } from '../session/composer-bus.ts';
import { keepFocus } from './keep-focus.ts';

/**
 * Returns the keyboard focus to what opened a dialog. Looked up while the dialog is first rendered: a moment later, one
 * of its own fields may already have the focus. The handler is for the dialog's own event, which comes a timer after it
 * is gone: by then a busy page has lost the first letters of who goes on writing.
 */
export function useReturnFocus(): (event: Event) => void {
  const [giveBack] = useState(() => focusGiver(findOpener()));
  useEffect(
    () => () => {
      // Another dialog in its place, or around it, keeps the keyboard.
      if (document.querySelector('[role="dialog"][data-state="open"]') === null) giveBack();
    },
    [giveBack],
  );
  return (event) => {
    event.preventDefault();
    giveBack();
  };
}

function focusGiver([opener, before]: Openers): () => void {
  return () => {
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

type Openers = readonly [opener: Element | null, before: Element | null];

/**
 * What has the focus now, and what opened the dialog that it is in. A command of the palette opens another dialog in
 * its place: when that closes, the palette is gone.
 */
function findOpener(): Openers {
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
