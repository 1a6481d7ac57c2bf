import type { Seeing } from './seeing.ts';

/** Whatever covers the page (menus, dialogs, hints) is entirely inside the window, and scrolls if it is too tall. */
export function overlays({ all, nameOf, cutters }: Seeing): readonly string[] {
  const found: string[] = [];
  for (const element of all('[role="menu"], [role="dialog"], .tooltip, .toast, .selection-ask')) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const isInside = left >= -1 && top >= -1 && right <= window.innerWidth + 1 && bottom <= window.innerHeight + 1;
    if (!isInside)
      found.push(
        `${nameOf(element)} is at ${[left, top, right, bottom].map(Math.round).join(' ')} in a window of ${window.innerWidth} × ${window.innerHeight}`,
      );
    const isScroller = (each: Element): boolean => /auto|scroll/.test(getComputedStyle(each).overflowY);
    const scrolls = isScroller(element);
    const inner = [...element.querySelectorAll('*')].filter((each) => each.scrollHeight > each.clientHeight + 1);
    if (element.scrollHeight > element.clientHeight + 1 && !scrolls && inner.length === 0)
      found.push(`${nameOf(element)} is taller than its frame and does not scroll`);
    for (const item of element.querySelectorAll('[role="menuitem"], [role="menuitemcheckbox"]')) {
      const frame = cutters(item).includes(element) ? element.getBoundingClientRect() : null;
      // A menu with a field scrolls below it.
      const canScroll = scrolls || cutters(item).some((each) => element.contains(each) && isScroller(each));
      const box = item.getBoundingClientRect();
      if (frame !== null && !canScroll && (box.top < frame.top - 1 || box.bottom > frame.bottom + 1))
        found.push(`${nameOf(item)} cannot be scrolled into sight`);
    }
  }
  return found;
}
