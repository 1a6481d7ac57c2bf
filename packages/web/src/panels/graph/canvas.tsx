import type { BranchView } from '@bough/api/client';
import type { KeyboardEvent } from 'react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { stepFrom } from '../../view/graph-keys.ts';
import type { GraphItem, GraphLayout } from '../../view/graph-layout.ts';
import type { MergeLine } from '../../view/graph-merges.ts';
import { reveal } from '../../view/viewport.ts';
import { Edge, GUTTER_WIDTH, Label, MergeEdge, placeOf, Point, Reading, ROW, LANE } from './marks.tsx';
import { useLabels } from './excerpts.ts';
import { Toolbar } from './toolbar.tsx';
import { useViewport } from './use-viewport.ts';

interface CanvasProps {
  readonly title: string;
  readonly layout: GraphLayout;
  readonly merges: readonly MergeLine[];
  readonly path: ReadonlySet<string>;
  /** Where keyboard navigation starts. */
  readonly start: string | null;
  /** The message that is being read in the conversation. */
  readonly reading: string | null;
  readonly tips: ReadonlyMap<string, readonly BranchView[]>;
  readonly colours: ReadonlyMap<string, string>;
  readonly excerpts: ReadonlyMap<string, string>;
  readonly canFold: boolean;
  readonly onFold: () => void;
  readonly onPoint: (nodeId: string | null) => void;
  readonly onChoose: (item: GraphItem) => void;
}

const LABEL_WIDTH = 220;
/** Of the branches that end at one message: forty names would leave no room for its words. */
const MOST_NAMES = 2;
/** Between the words of a row and the edge of the frame. */
const GAP = 8;

/** Draws only what is in the frame: the cost of a frame does not grow with the tree. */
export function Canvas({
  title,
  layout,
  merges,
  path,
  start,
  reading,
  tips,
  colours,
  excerpts: known,
  canFold,
  onFold,
  onPoint,
  onChoose,
}: CanvasProps) {
  const t = useT();
  const frame = useRef<SVGSVGElement>(null);
  const inset = merges.length === 0 ? 0 : GUTTER_WIDTH;
  const content = useMemo(
    () => ({ width: inset + layout.lanes * LANE + LABEL_WIDTH, height: layout.items.length * ROW }),
    [layout, inset],
  );
  const { view, setView, size, fit, zoom, startDrag, wasDragged } = useViewport(frame, content);
  const [active, setActive] = useState<string | null>(start);
  const moved = useRef(false);
  const activeItem = (active === null ? undefined : layout.itemOf.get(active)) ?? layout.items[0] ?? null;
  const onPath = (item: GraphItem): boolean => path.has(item.id);

  useEffect(() => {
    if (!moved.current || activeItem === null) return;
    moved.current = false;
    frame.current
      ?.querySelector<SVGGElement>(`[data-item="${CSS.escape(activeItem.id)}"]`)
      ?.focus({ preventScroll: true });
  });

  const readItem = (reading === null ? undefined : layout.itemOf.get(reading)) ?? null;
  const isDrawn = size.height > 0;
  // Followed when the reader moves on in the conversation; who looks around in the graph meanwhile is left alone.
  useEffect(() => {
    if (readItem === null || !isDrawn) return;
    setView((before) => {
      if (before === null) return before;
      const y = placeOf(readItem).y * before.k + before.y;
      const isInFrame = y > ROW / 2 && y < size.height - ROW / 2;
      return isInFrame ? before : reveal(before, size, placeOf(readItem));
    });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a resized frame is no reason to move
  }, [readItem, isDrawn, setView]);

  const onKeyDown = (event: KeyboardEvent<SVGSVGElement>): void => {
    if (activeItem === null) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onChoose(activeItem);
      return;
    }
    const next = stepFrom(activeItem, event.key, layout, onPath);
    if (next === null) return;
    event.preventDefault();
    moved.current = true;
    setActive(next.id);
    setView((before) => (before === null ? before : reveal(before, size, placeOf(next))));
  };

  const end = (size.width - view.x) / view.k - inset;
  const firstRow = Math.max(0, Math.floor(-view.y / view.k / ROW) - 2);
  const lastRow = Math.ceil((size.height - view.y) / view.k / ROW) + 2;
  const visible = layout.items.slice(firstRow, lastRow);
  const excerpts = useLabels(
    known,
    visible.flatMap(({ id, count, after }) => (count === 1 && after === null ? [id] : [])),
  );
  // A line is as long as what forks off next to it: it may cross the frame while both of its ends are outside.
  const edges = layout.items.filter(({ parent, row }) => parent !== null && parent.row < lastRow && row >= firstRow);
  const joins = merges.filter(
    ({ from, to }) => Math.min(from.row, to.row) < lastRow && Math.max(from.row, to.row) >= firstRow,
  );
  const colourOf = (item: GraphItem): string =>
    (item.branchId === null ? undefined : colours.get(item.branchId)) ?? 'var(--ink-faint)';
  const namesOf = (item: GraphItem): readonly string[] => {
    const names = tips.get(item.nodes.at(-1)?.id ?? '')?.map(({ name }) => name) ?? [];
    return names.length <= MOST_NAMES ? names : [...names.slice(0, MOST_NAMES), `+${names.length - MOST_NAMES}`];
  };
  // The item that can be tabbed to must exist, even if the reader has panned away from it.
  const points = activeItem === null || visible.includes(activeItem) ? visible : [...visible, activeItem];
  return (
    <>
      <Toolbar title={title} onFit={fit} onZoom={zoom} canFold={canFold} onFold={onFold} />
      <svg
        ref={frame}
        className="graph-canvas"
        role="tree"
        aria-label={t('graph.label')}
        onPointerDown={startDrag}
        onKeyDown={onKeyDown}
        onPointerLeave={() => onPoint(null)}
      >
        <g role="presentation" transform={`translate(${view.x} ${view.y}) scale(${view.k}) translate(${inset} 0)`}>
          {readItem === null ? null : <Reading item={readItem} end={end} />}
          {edges.map((item) => (
            <Edge key={item.id} item={item} colour={colourOf(item)} isOnPath={onPath(item)} />
          ))}
          {joins.map(({ from, to }) => (
            <MergeEdge key={`${from.id} ${to.id}`} from={from} to={to} colour={colourOf(from)} />
          ))}
          {visible.map((item) => (
            <Label
              key={item.id}
              item={item}
              names={namesOf(item)}
              colour={colourOf(item)}
              excerpt={excerpts.get(item.id) ?? ''}
              isOnPath={onPath(item)}
              end={end - GAP}
            />
          ))}
          {points.map((item) => (
            <Point
              key={item.id}
              item={item}
              colour={colourOf(item)}
              names={namesOf(item)}
              excerpt={excerpts.get(item.id) ?? ''}
              isOnPath={onPath(item)}
              isActive={item === activeItem}
              isHere={item.nodes.at(-1)?.id === start}
              isRead={item === readItem}
              onPoint={onPoint}
              onChoose={() => {
                if (wasDragged()) return;
                setActive(item.id);
                onChoose(item);
              }}
            />
          ))}
        </g>
      </svg>
    </>
  );
}
