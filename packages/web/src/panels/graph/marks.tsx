import { useT } from '../../i18n/index.ts';
import type { GraphItem } from '../../view/graph-layout.ts';

export const ROW = 30;
export const LANE = 22;
const RADIUS = 5.5;

export function placeOf({ lane, row }: Pick<GraphItem, 'lane' | 'row'>): { readonly x: number; readonly y: number } {
  return { x: lane * LANE + LANE / 2, y: row * ROW + ROW / 2 };
}

/** The line to a message from the one before it: straight in its lane, curved where it forks. */
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
  const middle = (from.y + to.y) / 2;
  const d =
    from.x === to.x
      ? `M${from.x} ${from.y}V${to.y}`
      : `M${from.x} ${from.y}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
  return <path className="graph-edge" d={d} stroke={colour} data-path={isOnPath ? '' : undefined} />;
}

interface PointProps {
  readonly item: GraphItem;
  readonly colour: string;
  readonly names: readonly string[];
  readonly excerpt: string;
  readonly isOnPath: boolean;
  readonly isActive: boolean;
  readonly isHere: boolean;
  readonly onPoint: (nodeId: string | null) => void;
  readonly onChoose: () => void;
}

/** A message: filled where the model speaks, hollow where you do; a pill for a folded run. */
export function Point({ item, colour, names, excerpt, isOnPath, isActive, isHere, onPoint, onChoose }: PointProps) {
  const t = useT();
  const { x, y } = placeOf(item);
  const [node] = item.nodes;
  const isRun = item.nodes.length > 1;
  const state = node?.isError === true ? t('graph.error') : node?.interrupted === true ? t('graph.interrupted') : '';
  const label = isRun
    ? t('graph.expand', { count: item.nodes.length })
    : [t(`role.${node?.role ?? 'user'}`), state, ...names, excerpt].filter((part) => part !== '').join(', ');
  return (
    <g
      className="graph-point"
      role="treeitem"
      aria-label={label}
      aria-level={item.row + 1}
      aria-selected={isHere}
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
  readonly items: readonly GraphItem[];
  /** The rightmost lane of the row: words stand behind it. */
  readonly lane: number;
  readonly onPath: (item: GraphItem) => boolean;
  readonly namesOf: (item: GraphItem) => readonly string[];
  readonly colourOf: (item: GraphItem) => string;
  readonly excerpts: ReadonlyMap<string, string>;
}

/** The words of a row: the branches that end there, and what the message on the current path begins with. */
export function Label({ items, lane, onPath, namesOf, colourOf, excerpts }: LabelProps) {
  const t = useT();
  const [first] = items;
  if (first === undefined) return null;
  const { x, y } = placeOf({ lane: lane + 1, row: first.row });
  const ends = items.flatMap((item) => namesOf(item).map((name) => ({ name, colour: colourOf(item) })));
  const current = items.find(onPath) ?? (items.length === 1 ? first : undefined);
  // Beside the name of another branch, the words would read as that branch's.
  const isForeign = items.some((item) => item !== current && namesOf(item).length > 0);
  const text =
    current === undefined || isForeign
      ? ''
      : current.nodes.length > 1
        ? t('graph.collapsed', { count: current.nodes.length })
        : (excerpts.get(current.id) ?? '') || (current.nodes[0]?.interrupted === true ? t('graph.interrupted') : '');
  return (
    <text className="graph-label" x={x - LANE / 2 + 4} y={y + 4} aria-hidden="true">
      {ends.map(({ name, colour }) => (
        <tspan key={name} className="graph-branch" fill={colour}>
          {name}
          {'  '}
        </tspan>
      ))}
      <tspan data-path={current !== undefined && onPath(current) ? '' : undefined}>{text}</tspan>
    </text>
  );
}
