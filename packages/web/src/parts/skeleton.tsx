import { useT } from '../i18n/index.ts';
import './skeleton.css';

export type SkeletonShape = 'graph' | 'context' | 'facts' | 'list' | 'tables' | 'columns';

interface SkeletonProps {
  /** How many attempts have failed: an unreachable server is reported, not waited for in silence. */
  readonly failures: number;
}

const TURNS = [0, 1, 2];

/** The shape of a conversation that is still to come, in its place: nothing jumps when it arrives. */
export function Skeleton({ failures }: SkeletonProps) {
  const t = useT();
  return (
    <div className="skeleton">
      <p className={failures === 0 ? 'visually-hidden' : 'loading'} role="status">
        {failures === 0 ? t('app.loading') : t('connection.lost')}
      </p>
      {TURNS.map((turn) => (
        <div key={turn} className="turn" aria-hidden="true">
          <span className="skeleton-user" />
          <span className="skeleton-line" />
          <span className="skeleton-line" />
          <span className="skeleton-line short" />
        </div>
      ))}
    </div>
  );
}

interface PanelSkeletonProps extends Partial<SkeletonProps> {
  readonly shape: SkeletonShape;
}

/** How wide each bar is, in percent; a list of them is a group with some room around it. */
const BARS: Readonly<Record<SkeletonShape, readonly (readonly number[])[]>> = {
  graph: [[62], [48], [70], [55], [66], [40]],
  context: [
    [35, 100],
    [40, 92, 84, 88, 70],
    [45, 80],
  ],
  facts: [
    [40, 85, 75, 80, 60],
    [35, 70, 65],
  ],
  list: [
    [30, 100],
    [35, 100],
    [28, 100],
    [32, 100],
  ],
  tables: [
    [30, 100, 100, 100],
    [25, 100, 100],
  ],
  columns: [
    [45, 100, 96, 60],
    [45, 100, 92, 70],
  ],
};

/** The shape of a panel that is still to come. A panel that is merely empty looks as if there were nothing in it. */
export function PanelSkeleton({ shape, failures = 0 }: PanelSkeletonProps) {
  const t = useT();
  return (
    <div className="skeleton panel-skeleton" data-shape={shape}>
      <p className={failures === 0 ? 'visually-hidden' : 'loading'} role="status">
        {failures === 0 ? t('app.loading') : t('connection.lost')}
      </p>
      {BARS[shape].map((widths, group) => (
        <div key={group} className="skeleton-group" aria-hidden="true">
          {widths.map((width, bar) => (
            <span key={bar} className="skeleton-line" style={{ width: `${width}%` }} />
          ))}
        </div>
      ))}
    </div>
  );
}
