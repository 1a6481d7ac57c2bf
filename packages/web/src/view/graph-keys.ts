import type { GraphItem, GraphLayout } from './graph-layout.ts';
import { mainChild } from './graph-layout.ts';

/**
 * Where an arrow key leads. Up and down follow the conversation (down along the current path), left and right move
 * between forks.
 */
export function stepFrom(
  item: GraphItem,
  key: string,
  layout: GraphLayout,
  onPath: (item: GraphItem) => boolean,
): GraphItem | null {
  switch (key) {
    case 'ArrowUp':
      return item.parent;
    case 'ArrowDown':
      return item.children.find(onPath) ?? mainChild(item) ?? null;
    case 'ArrowLeft':
      return beside(item, layout, -1);
    case 'ArrowRight':
      return beside(item, layout, 1);
    case 'Home':
      return layout.items[0] ?? null;
    case 'End':
      return layout.items.findLast(onPath) ?? layout.items.at(-1) ?? null;
    default:
      return null;
  }
}

/** The nearest fork above decides which conversations are next to this one. */
function beside(item: GraphItem, layout: GraphLayout, direction: 1 | -1): GraphItem | null {
  const roots = layout.items.filter(({ parent }) => parent === null);
  for (let at: GraphItem | null = item; at !== null; at = at.parent) {
    const { parent }: GraphItem = at;
    const main = parent === null ? undefined : mainChild(parent);
    const siblings = (parent?.children ?? roots).toSorted((a, b) => Number(b === main) - Number(a === main));
    const found = siblings[siblings.indexOf(at) + direction];
    if (found !== undefined) return found;
  }
  return null;
}
