import type { Seeing } from './seeing.ts';

/** While a dialog or a menu is open, the keyboard focus is in it: otherwise typing goes to what is below. */
export function focus({ all, nameOf }: Seeing): readonly string[] {
  const top = all('[role="dialog"], [role="menu"]').at(-1);
  const { activeElement } = document;
  if (top === undefined || top.contains(activeElement)) return [];
  return [`${nameOf(top)} is open, and the focus is on ${activeElement === null ? 'nothing' : nameOf(activeElement)}`];
}

/**
 * After a menu or a dialog has closed, the focus is on some element: from the body, the next Tab would start at the top
 * of the page.
 */
export function focusAfter(): readonly string[] {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  return isLost ? ['it closed, and the focus is on the body'] : [];
}
