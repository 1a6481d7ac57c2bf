import { useT } from '../i18n/index.ts';
import './skeleton.css';

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
