import { useT } from '../../i18n/later/index.ts';
import type { GraphItem } from '../../view/graph-layout.ts';

export const ROW = 30;
export const LANE = 22;
const RADIUS = 5.5;

export function placeOf({ lane, row }: Pick<GraphItem, 'lane' | 'row'>): { readonly x: number; readonly y: number } {
  return { x: lane * LANE + LANE / 2, y: row * ROW + ROW / 2 };
}

/** The line to a message from its parent: down the parent's lane, then across into its own just above it. */
export function Edge({
  item,
  colour,
  isOnPath,
}: {
  readonly item: GraphItem;
  readonly colour: string;
  readonly isOnPath: boolean;
}) {
  if (item.parent === null) return null;
  const from = placeOf(item.parent);
  const to = placeOf(item);
  const bend = to.y - ROW;
  const middle = to.y - ROW / 2;
  const d =
    from.x === to.x
      ? `M${from.x} ${from.y}V${to.y}`
      : `M${from.x} ${from.y}V${bend}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
  return <path className="graph-edge" d={d} stroke={colour} data-path={isOnPath ? '' : undefined} />;
}

/** Left of every lane, where no words are: a line across a row never runs through them. */
const GUTTER = -9;
const CORNER = 6;
/** From the middle of a point, with the ring around the newest one, to where a line to it ends. */
const CLEAR = RADIUS + 6;
/** The same, at forty-five degrees. */
const CORNERED = CLEAR * Math.SQRT1_2;
const HEAD = 3.5;
/** What the tree is moved by to make room for such lines. */
export const GUTTER_WIDTH = 14;

/** What was brought, as a second parent: from the last message that it holds to the message that it became. */
export function MergeEdge({
  from,
  to,
  colour,
}: {
  readonly from: GraphItem;
  readonly to: GraphItem;
  readonly colour: string;
}) {
  const [a, b] = [placeOf(from), placeOf(to)];
  const isNext = Math.abs(from.row - to.row) === 1 && from.lane > to.lane;
  const down = Math.sign(b.y - a.y);
  // Beside the row, or in from its corner: in the row itself, the words of the message begin.
  const [x, y] = isNext ? [b.x + CORNERED, b.y - down * CORNERED] : [b.x - CLEAR, b.y];
  const line = isNext
    ? `M${a.x} ${a.y + down * CLEAR}Q${a.x} ${y} ${x} ${y}`
    : `M${a.x - CLEAR} ${a.y}H${GUTTER + CORNER}Q${GUTTER} ${a.y} ${GUTTER} ${a.y + down * CORNER}` +
      `V${b.y - down * CORNER}Q${GUTTER} ${b.y} ${GUTTER + CORNER} ${b.y}H${x}`;
  const head = isNext
    ? `M${x} ${y - down * HEAD * 1.4}V${y}H${x + HEAD * 1.4}`
    : `M${x - HEAD} ${y - HEAD}L${x} ${y}L${x - HEAD} ${y + HEAD}`;
  return (
    <g className="graph-merge" stroke={colour} data-from={from.id} data-to={to.id}>
      <path className="graph-merge-line" d={line} />
      <path d={head} />
    </g>
  );
}

/** A band behind the row of the message that is being read. */
export function Reading({ item, end }: { readonly item: GraphItem; readonly end: number }) {
  const { y } = placeOf(item);
  return (
    <rect className="graph-reading" x={2} y={y - ROW / 2 + 1} width={Math.max(0, end - 4)} height={ROW - 2} rx={5} />
  );
}

interface PointProps {
  readonly item: GraphItem;
  readonly colour: string;
  readonly names: readonly string[];
  readonly excerpt: string;
  readonly isOnPath: boolean;
  readonly isActive: boolean;
  readonly isHere: boolean;
  /** It is being read in the conversation. */
  readonly isRead: boolean;
  readonly onPoint: (nodeId: string | null) => void;
  readonly onChoose: () => void;
}

/** A message: filled for the model's, hollow for yours; a pill for a folded run. */
export function Point({
  item,
  colour,
  names,
  excerpt,
  isOnPath,
  isActive,
  isHere,
  isRead,
  onPoint,
  onChoose,
}: PointProps) {
  const t = useT();
  const { x, y } = placeOf(item);
  const [node] = item.nodes;
  const isRun = item.count > 1 || item.after !== null;
  const state = node?.isError === true ? t('graph.error') : node?.interrupted === true ? t('graph.interrupted') : '';
  const label = isRun
    ? t(item.after === null ? 'graph.expand' : 'graph.open', { count: item.count })
    : [node?.mergedUpTo === undefined ? t(`role.${node?.role ?? 'user'}`) : t('graph.merge'), state, ...names, excerpt]
        .filter((part) => part !== '')
        .join(', ');
  return (
    <g
      className="graph-point"
      role="treeitem"
      aria-label={label}
      aria-level={item.lane + 1}
      aria-selected={isHere}
      aria-current={isRead ? 'location' : undefined}
      data-item={item.id}
      data-path={isOnPath ? '' : undefined}
      data-error={node?.isError === true ? '' : undefined}
      tabIndex={isActive ? 0 : -1}
      transform={`translate(${x} ${y})`}
      onPointerEnter={() => onPoint(item.id)}
      onFocus={() => onPoint(item.id)}
      onClick={onChoose}
    >
      <rect className="graph-target" x={-LANE / 2} y={-ROW / 2} width={LANE} height={ROW} />
      {isHere ? <circle className="graph-here" r={RADIUS + 4} stroke={colour} /> : null}
      {isRun ? (
        <rect x={-RADIUS} y={-RADIUS - 4} width={RADIUS * 2} height={RADIUS * 2 + 8} rx={RADIUS} fill={colour} />
      ) : node?.role === 'tool' || node?.role === 'system' ? (
        <circle r={RADIUS - 2} fill={colour} />
      ) : node?.role === 'user' ? (
        <circle className="graph-user" r={RADIUS - 0.8} stroke={colour} />
      ) : (
        <circle r={RADIUS} fill={colour} />
      )}
    </g>
  );
}

interface LabelProps {
  readonly item: GraphItem;
  readonly names: readonly string[];
  readonly colour: string;
  readonly excerpt: string;
  readonly isOnPath: boolean;
  /** Where the frame ends, in drawing units. */
  readonly end: number;
}

/**
 * The words of a row: the branches that end there, and the beginning of the message. As HTML, because SVG text is cut
 * at the frame without an ellipsis.
 */
export function Label({ item, names, colour, excerpt, isOnPath, end }: LabelProps) {
  const t = useT();
  const { x, y } = placeOf(item);
  const isInterrupted = item.nodes[0]?.interrupted === true;
  const text =
    item.after !== null
      ? t('graph.leftOut', { count: item.count })
      : item.count > 1
        ? t('graph.collapsed', { count: item.count })
        : excerpt || (isInterrupted ? t('graph.interrupted') : t(`role.${item.nodes[0]?.role ?? 'user'}`));
  const left = x + LANE / 2 + 4;
  const width = end - left;
  if (width < LANE || (text === '' && names.length === 0)) return null;
  return (
    <foreignObject x={left} y={y - ROW / 2} width={width} height={ROW} aria-hidden="true" className="graph-row">
      <div className="graph-label" data-path={isOnPath ? '' : undefined}>
        {names.length === 0 ? null : <b style={{ color: colour }}>{names.join(', ')}</b>} {text}
      </div>
    </foreignObject>
  );
}
