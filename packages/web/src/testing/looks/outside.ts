import type { Seeing } from './seeing.ts';

/** Nothing visible extends beyond the left or right edge of the window, and no control is pushed out of its frame. */
export function outside({ all, nameOf, cutters }: Seeing): readonly string[] {
  const reachesOut = new Set<Element>();
  for (const element of all('*')) {
    let { left, right } = element.getBoundingClientRect();
    const isControl = element.matches('button, a, input, select, textarea, [role="tab"], [role="menuitem"]');
    let hidden = 0;
    let scrolls = false;
    for (const cutter of cutters(element)) {
      const frame = cutter.getBoundingClientRect();
      const { overflowX } = getComputedStyle(cutter);
      // What scrolls can be brought into view, whatever clips its frame further out.
      scrolls ||= (overflowX === 'auto' || overflowX === 'scroll') && cutter.scrollWidth > cutter.clientWidth + 1;
      if (!scrolls) hidden = Math.max(hidden, frame.left - left, right - frame.right);
      left = Math.max(left, frame.left);
      right = Math.min(right, frame.right);
    }
    if (right <= left) {
      if (isControl && hidden > 2) reachesOut.add(element);
      continue;
    }
    const isOut = left < -1 || right > window.innerWidth + 1;
    if (isOut || (isControl && hidden > 2)) reachesOut.add(element);
  }
  // Reporting the outermost element is enough.
  return [...reachesOut]
    .filter((element) => element.parentElement === null || !reachesOut.has(element.parentElement))
    .map((element) => {
      const { left, right } = element.getBoundingClientRect();
      return `${nameOf(element)} reaches from ${Math.round(left)} to ${Math.round(right)} in a window of ${window.innerWidth}`;
    });
}
