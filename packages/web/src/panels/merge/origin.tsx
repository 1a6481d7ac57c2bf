import type { BranchView, MergeView, NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/later/index.ts';
import { DiffLines } from '../../parts/diff-lines.tsx';
import { CheckIcon } from '../../parts/icons.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { labelQuery } from '../../session/queries.ts';
import { messageCount } from '../../view/deletion.ts';
import { errorText } from '../../view/error-text.ts';
import { formatNumber } from '../../view/format.ts';
import { labelOf } from '../../view/merge.ts';
import { useGoToSource } from './go-to-source.tsx';
import '../context/context.css';

interface OriginProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly nodeId: string;
}

/** Where a merge came from: its branch, what was new on it then, and what it adds to what was here. */
export function Origin({ projectId, branch, nodeId }: OriginProps) {
  const read = useQuery({
    // Below the project: the source may be renamed or deleted.
    queryKey: ['project', projectId, 'merged', nodeId],
    queryFn: () => client.readMerge(projectId, nodeId),
    retry: false,
  });
  const { goTo, dialog } = useGoToSource(projectId, branch);
  if (read.isError) return <Problem message={errorText(read.error)} />;
  if (read.isPending) return <Loading failures={read.failureCount} />;
  const merge = read.data;
  return (
    <div className="merged-origin">
      <Source projectId={projectId} merge={merge} />
      <Range merge={merge} onGo={goTo} />
      <Difference merge={merge} onGo={goTo} />
      {dialog}
    </div>
  );
}

function Source({ projectId, merge }: { readonly projectId: string; readonly merge: MergeView }) {
  const t = useT();
  const { branchName, sourceName } = merge;
  if (sourceName === null) return <p className="merged-part">{t('merged.deleted', { branch: branchName })}</p>;
  return (
    <p>
      {sourceName === branchName ? null : <>{t('merged.renamed', { branch: branchName })} </>}
      <Link to="/p/$projectId/b/$branch" params={{ projectId, branch: sourceName }}>
        {t('merged.source', { branch: sourceName })}
      </Link>
    </p>
  );
}

interface PartProps {
  readonly merge: MergeView;
  readonly onGo: (nodeId: string) => void;
}

/** What was new on the source then; what of it was brought is marked. */
function Range({ merge, onGo }: PartProps) {
  const t = useT();
  const { messages, after, by, nodeIds } = merge;
  if (messages === null) return <p className="merged-part">{t('merged.gone')}</p>;
  // A summary stands for all of them.
  const brought = new Set(by === 'summary' ? messages.map(({ id }) => id) : nodeIds);
  return (
    <div>
      <p className="merged-part">
        {t('merged.range', { messages: messageCount(messages.length, t) })}{' '}
        {after === null ? t('merged.start') : <After nodeId={after} onGo={onGo} />}
      </p>
      <ul className="merged-range">
        {messages.map((node) => (
          <li key={node.id}>
            <SourceMessage node={node} isBrought={brought.has(node.id)} onGo={onGo} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function After({ nodeId, onGo }: { readonly nodeId: string; readonly onGo: PartProps['onGo'] }) {
  const t = useT();
  const label = useQuery(labelQuery(nodeId, t));
  const [, words = ''] = label.data ?? [];
  return (
    <button type="button" className="link-button" onClick={() => onGo(nodeId)}>
      {words === '' ? t('merged.after.unnamed') : t('merged.after', { words })}
    </button>
  );
}

function SourceMessage({
  node,
  isBrought,
  onGo,
}: {
  readonly node: NodeView;
  readonly isBrought: boolean;
  readonly onGo: PartProps['onGo'];
}) {
  const t = useT();
  return (
    <button type="button" className="merge-row" onClick={() => onGo(node.id)}>
      <span className="merged-mark">{isBrought ? <CheckIcon /> : null}</span>
      <span className="merge-text" dir="auto">
        <b>{t(`role.${node.role}`)}</b> {labelOf(node, t)}
      </span>
      {isBrought ? <span className="visually-hidden">{t('merged.brought')}</span> : null}
    </button>
  );
}

/** What was brought against the last answer that stood here: what of it is new here. */
function Difference({ merge, onGo }: PartProps) {
  const t = useT();
  const { comparedWith, diff } = merge;
  if (comparedWith === null) return null;
  const number = (value: number): string => formatNumber(value, t.locale);
  return (
    <div>
      <p className="merged-part">
        {t('merged.diff', { added: number(diff.added), removed: number(diff.removed) })}{' '}
        <button type="button" className="link-button" onClick={() => onGo(comparedWith)}>
          {t('merged.compared')}
        </button>
      </p>
      <DiffLines lines={diff.lines} />
    </div>
  );
}
