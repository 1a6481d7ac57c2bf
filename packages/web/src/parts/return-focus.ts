import { useState } from 'react';

/**
 * Gives the keyboard back to what opened a dialog. Looked up while the dialog is first rendered: a moment later, a
 * field of its own may already have taken the focus.
 */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(() => openerOf(document.activeElement));
  return (event) => {
    event.preventDefault();
    // A dialog that was opened by this one has it by now.
    const isTaken = document.activeElement !== null && document.activeElement !== document.body;
    if (!isTaken && opener instanceof HTMLElement) opener.focus();
  };
}

/** An item of a menu is gone when the dialog closes; the button of its menu, which names the menu, is still there. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]') ?? null;
  return menu === null ? element : document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
}
