import { useEffect } from 'react';

/** `asking`: about to be asked about; `asked`: a question is about them; `asked-here`: the one that is looked at. */
type MarkName = 'asking' | 'asked' | 'asked-here';

/**
 * Marks words without changing the page around them: elements that are put between the words would be gone, or stand
 * twice, whenever the text is formatted again. A browser that cannot do this shows the words in the note alone.
 */
export function useMark(name: MarkName, ranges: readonly Range[]): void {
  useEffect(() => {
    if (!('highlights' in CSS) || ranges.length === 0) return undefined;
    const highlight = CSS.highlights.get(name) ?? new Highlight();
    CSS.highlights.set(name, highlight);
    if (name === 'asked-here') highlight.priority = 1;
    for (const range of ranges) highlight.add(range);
    return () => {
      for (const range of ranges) highlight.delete(range);
    };
  }, [name, ranges]);
}

/** Whether a place on the screen is on these words. */
export function isOn(range: Range, x: number, y: number): boolean {
  return [...range.getClientRects()].some(
    ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
  );
}
