import type { RoundTableView } from '@bough/api/client';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/later/index.ts';
import { useTold } from '../../session/use-told.ts';
import { formatCost, formatDuration, formatNumber } from '../../view/format.ts';
import { replyError } from '../../view/reply-error.ts';

interface AnswersTableProps {
  readonly table: RoundTableView;
  readonly offset: number;
  /** Whether this is still the page before. */
  readonly isOld: boolean;
}

type Row = RoundTableView['rows'][number];
type Answer = Row['answers'][number];

/** Questions by models. Each answer leads to its branch. */
export function AnswersTable({ table, offset, isOld }: AnswersTableProps) {
  const t = useT();
  const { round, sums, rows } = table;
  return (
    <div
      className="table-scroll sets-scroll"
      tabIndex={0}
      role="region"
      aria-label={t('rounds.answers')}
      aria-busy={isOld}
    >
      <table className="table round-table">
        <thead>
          <tr>
            <th scope="col">{t('rounds.question')}</th>
            {sums.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={row.question.id}>
              <th scope="row">
                <span className="round-question" dir="auto">
                  {formatNumber(offset + index + 1, t.locale)}. {row.question.text.slice(0, QUESTION)}
                </span>
                <SideBySide projectId={round.projectId} row={row} />
                {row.question.expected === undefined ? null : (
                  <small dir="auto">{t('sets.expected', { text: row.question.expected.slice(0, QUESTION) })}</small>
                )}
              </th>
              {sums.map(({ label }, target) => (
                <td key={label}>
                  {row.answers
                    .filter((answer) => answer.target === target)
                    .map((answer) => (
                      <Cell key={answer.sample} projectId={round.projectId} answer={answer} />
                    ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** All answers to a question beside each other, where they are read whole and judged. */
function SideBySide({ projectId, row }: { readonly projectId: string; readonly row: Row }) {
  const t = useT();
  const given = row.answers.filter(({ status }) => status === 'complete');
  const [first] = given;
  if (first === undefined || first.branch === null || first.nodeId === null || given.length < 2) return null;
  return (
    <Link
      className="round-compare"
      to="/p/$projectId/b/$branch/versions/$nodeId"
      params={{ projectId, branch: first.branch, nodeId: first.nodeId }}
    >
      {t('rounds.compare')}
    </Link>
  );
}

const QUESTION = 300;
const BAD: readonly Answer['status'][] = ['failed', 'refused', 'interrupted'];

function Cell({ projectId, answer }: { readonly projectId: string; readonly answer: Answer }) {
  const t = useT();
  const { status, text, branch, nodeId, cost, milliseconds, error } = answer;
  const facts = [
    ...(cost === null ? [] : [formatCost(cost, t.locale)]),
    ...(milliseconds === null ? [] : [formatDuration(milliseconds, t.locale)]),
  ].join(' · ');
  const told = useTold(error === null ? null : { code: error.code, message: error.detail });
  const why = [replyError(error?.code ?? null, t), told].filter((part) => part !== null && part !== '').join(' ');
  const words = text.trim() === '' ? why : text;
  const state =
    status === 'complete' ? null : (
      <span className={BAD.includes(status) ? 'badge danger' : status === 'pending' ? 'faint' : 'badge thought'}>
        {t(`rounds.cell.${status}`)}
      </span>
    );
  const content = (
    <>
      {state}
      {words === '' ? null : (
        <span className="round-words" dir="auto">
          {words}
        </span>
      )}
      {words === '' && status === 'complete' ? <span className="faint">{t('rounds.cell.empty')}</span> : null}
      {facts === '' ? null : <small>{facts}</small>}
    </>
  );
  if (branch === null) return <div className="round-cell">{content}</div>;
  return (
    <Link
      className="round-cell"
      to="/p/$projectId/b/$branch"
      params={{ projectId, branch }}
      {...(nodeId === null ? {} : { search: { node: nodeId } })}
    >
      {content}
    </Link>
  );
}
