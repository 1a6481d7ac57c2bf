import type { GraphItem, GraphLayout } from './graph-layout.ts';
import { mainChild } from './graph-layout.ts';

/** Where an arrow key leads. Up and down follow the conversation (down along the current path), left and right move between forks. */
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
      return layout.rows[0]?.[0] ?? null;
    case 'End': {
      const row = layout.rows.findLast((items) => items.some(onPath));
      return row?.find(onPath) ?? layout.rows.at(-1)?.[0] ?? null;
    }
    default:
      return null;
  }
}

function beside(item: GraphItem, layout: GraphLayout, direction: 1 | -1): GraphItem | null {
  const row = (layout.rows[item.row] ?? []).toSorted((a, b) => a.lane - b.lane);
  return row[row.indexOf(item) + direction] ?? null;
}
