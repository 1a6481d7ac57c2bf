import type { Seeing } from './seeing.ts';

/**
 * No control is covered by something else: it would look cut off, and could not be clicked. Controls below a menu or a
 * dialog are exempt.
 */
export function covered({ all, nameOf, cutters }: Seeing): readonly string[] {
  if (all('[role="menu"], [role="dialog"], .tooltip, .toast, .selection-ask, .scrim').length > 0) return [];
  return all('button, a, input, select, textarea, [role="tab"]').flatMap((control) => {
    const { left, top, width, height } = control.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const isInSight =
      x >= 0 &&
      y >= 0 &&
      x < window.innerWidth &&
      y < window.innerHeight &&
      cutters(control).every((cutter) => {
        const frame = cutter.getBoundingClientRect();
        return x >= frame.left && x <= frame.right && y >= frame.top && y <= frame.bottom;
      });
    const hit = isInSight ? document.elementFromPoint(x, y) : null;
    // A label stands for its field.
    const isFree =
      hit === null || control.contains(hit) || hit.contains(control) || hit.closest('label')?.contains(control);
    return isFree === true ? [] : [`${nameOf(control)} lies under ${nameOf(hit ?? control)}`];
  });
}
