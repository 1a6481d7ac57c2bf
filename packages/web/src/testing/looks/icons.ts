import type { Seeing } from './seeing.ts';

/**
 * An icon is at most as tall as a line of the text next to it: without a size of its own, an svg fills its container.
 */
export function icons({ all, nameOf }: Seeing): readonly string[] {
  return all('svg[aria-hidden="true"]').flatMap((icon) => {
    const holder = icon.parentElement ?? icon;
    const { lineHeight, fontSize } = getComputedStyle(holder);
    const line = lineHeight === 'normal' ? Number.parseFloat(fontSize) * 1.3 : Number.parseFloat(lineHeight);
    const { width, height } = icon.getBoundingClientRect();
    return Math.max(width, height) <= line + 1
      ? []
      : [
          `the icon of ${nameOf(holder)} is ${Math.round(width)} × ${Math.round(height)}, its text has lines of ${Math.round(line)}`,
        ];
  });
}
