import { useState } from 'react';
import { takeComposerFocus } from '../session/composer-bus.ts';

/**
 * Returns the keyboard focus to what opened a dialog. Looked up while the dialog is first rendered: a moment later, one
 * of its own fields may already have the focus.
 */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(() => openerOf(document.activeElement));
  return (event) => {
    event.preventDefault();
    if (takeComposerFocus()) return;
    // A dialog that was opened by this one has the focus by now.
    const isTaken = document.activeElement !== null && document.activeElement !== document.body;
    if (!isTaken && opener instanceof HTMLElement) opener.focus();
  };
}

/** A menu item is gone when the dialog closes; the button of its menu, which names the menu, is still there. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]') ?? null;
  return menu === null ? element : document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
}
