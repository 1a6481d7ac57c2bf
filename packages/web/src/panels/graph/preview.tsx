import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { useSettled } from '../../parts/settled.ts';
import { nodeQuery } from '../../session/queries.ts';
import { formatKnownTime } from '../../view/format.ts';
import type { GraphItem } from '../../view/graph-layout.ts';
import { saidIn } from '../../view/merge.ts';

interface PreviewProps {
  readonly projectId: string;
  readonly item: GraphItem | null;
  readonly isOnPath: boolean;
}

const EXCERPT = 400;
/** Where there is none, there are no arrow keys either. */
const hasPointer = (): boolean => window.matchMedia('(hover: hover)').matches;

/**
 * The text of the message under the pointer. In a fixed place below the tree, so that it covers nothing that is being
 * read.
 */
export function Preview({ projectId, item, isOnPath }: PreviewProps) {
  const t = useT();
  const isFolded = item !== null && (item.count > 1 || item.after !== null);
  const id = item === null || isFolded ? null : item.id;
  const settled = useSettled(id, 120);
  const node = useQuery({ ...nodeQuery(projectId, settled ?? ''), enabled: settled !== null });
  const [first] = item?.nodes ?? [];
  if (isFolded)
    return (
      <p className="graph-preview faint">
        {t(item.after === null ? 'graph.expand' : 'graph.open', { count: item.count })}
      </p>
    );
  if (item === null || first === undefined)
    return <p className="graph-preview faint">{t(hasPointer() ? 'graph.hint' : 'graph.hint.touch')}</p>;
  const text = node.data?.node.id === id ? saidIn(node.data.node) : '';
  return (
    <div className="graph-preview">
      <p className="graph-preview-head">
        <b>{t(`role.${first.role}`)}</b>
        <span>
          {[first.modelUsed, formatKnownTime(first.createdAt, t.locale), isOnPath ? t('graph.here') : null]
            .filter((part) => part !== null)
            .join(' · ')}
        </span>
        {first.mergedUpTo === undefined ? null : <span className="badge">{t('graph.merge')}</span>}
        {first.isError ? <span className="badge danger">{t('graph.error')}</span> : null}
        {first.interrupted ? <span className="badge warn">{t('graph.interrupted')}</span> : null}
      </p>
      <p className="graph-preview-text">{text.slice(0, EXCERPT)}</p>
    </div>
  );
}
