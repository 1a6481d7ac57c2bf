import type { MergePreview } from '@bough/api/client';
import { useId } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import type { MergeWay } from '../../view/merge.ts';
import { labelOf } from '../../view/merge.ts';
import { withoutMarks } from '../../view/excerpt.ts';

interface WaysProps {
  readonly preview: MergePreview;
  readonly by: MergeWay;
  /** The messages that are ticked, oldest first. */
  readonly brought: readonly string[];
  /** The message that the dialog was opened from is not among them. */
  readonly isMissing: boolean;
  readonly instruction: string;
  readonly disabled: boolean;
  readonly onWay: (by: MergeWay) => void;
  readonly onPick: (ids: readonly string[]) => void;
  readonly onInstruction: (instruction: string) => void;
}

const WAYS = ['answer', 'summary', 'messages'] as const;

/** So much of an answer is enough to recognise it. */
const BEGINNING = 400;

/** What is brought: each way with what it adds to the target, and below the chosen one what can be said about it. */
export function Ways(props: WaysProps) {
  const { preview, by, disabled, onWay } = props;
  const t = useT();
  const about = useId();
  return (
    <fieldset className="field choices merge-ways" disabled={disabled}>
      <legend>{t('merge.what')}</legend>
      {WAYS.map((way) => (
        <div key={way} className="merge-way" data-chosen={way === by ? '' : undefined}>
          <label>
            <input
              type="radio"
              name="merge-way"
              aria-describedby={`${about}-${way}`}
              disabled={way === 'answer' && preview.answer === null}
              checked={way === by}
              onChange={() => onWay(way)}
            />
            <span>
              {t(`merge.by.${way}`)}
              <small id={`${about}-${way}`}>
                <Tokens {...props} way={way} />
              </small>
            </span>
          </label>
          {way === by ? <More {...props} /> : null}
        </div>
      ))}
    </fieldset>
  );
}

/** What a way adds to the requests of the target, and what it costs. */
function Tokens({ preview, brought, way }: WaysProps & { readonly way: MergeWay }) {
  const t = useT();
  const number = (value: number): string => formatNumber(value, t.locale);
  const { answer, summary, messages } = preview;
  switch (way) {
    case 'answer':
      return answer === null ? t('merge.noAnswer') : t('merge.tokens', { count: number(answer.tokens) });
    case 'summary':
      return t('merge.price', {
        count: number(summary.tokens),
        model: summary.model,
        sent: number(summary.requestTokens),
        cost: summary.cost === null ? t('compact.cost.unknown') : formatCost(summary.cost, t.locale),
      });
    case 'messages': {
      const picked = messages.filter(({ node }) => brought.includes(node.id));
      const tokens = picked.reduce((sum, message) => sum + message.tokens, 0);
      return t('merge.picked', { picked: picked.length, all: messages.length, count: number(tokens) });
    }
  }
}

function More(props: WaysProps) {
  const { preview, by, instruction, onInstruction } = props;
  const t = useT();
  const { answer, summary, messages } = preview;
  switch (by) {
    case 'answer': {
      const node = messages.find((message) => message.node.id === answer?.nodeId)?.node;
      return node === undefined ? null : (
        <p className="merge-beginning" dir="auto">
          {withoutMarks(node.content.slice(0, BEGINNING))}
        </p>
      );
    }
    case 'summary':
      return (
        <>
          {summary.unread === 0 ? null : (
            <p className="merge-refused">{t('merge.unread', { count: formatNumber(summary.unread, t.locale) })}</p>
          )}
          <label className="field">
            <span>{t('compact.instruction')}</span>
            <textarea
              className="input"
              rows={4}
              value={instruction}
              onChange={(event) => onInstruction(event.target.value)}
            />
          </label>
        </>
      );
    case 'messages':
      return <Messages {...props} />;
  }
}

function Messages({ preview, brought, isMissing, disabled, onPick }: WaysProps) {
  const t = useT();
  const { messages, target } = preview;
  const all = messages.map(({ node }) => node.id);
  const isAll = brought.length === all.length;
  return (
    <>
      {isMissing ? <p className="faint">{t('merge.notNew', { target: target.name })}</p> : null}
      <div className="merge-list" role="group" aria-label={t('merge.by.messages')} tabIndex={disabled ? 0 : undefined}>
        {messages.map(({ node, tokens }) => (
          <label key={node.id} className="merge-row">
            <input
              type="checkbox"
              checked={brought.includes(node.id)}
              onChange={({ currentTarget: { checked } }) =>
                onPick(checked ? [...brought, node.id] : brought.filter((id) => id !== node.id))
              }
            />
            <span className="merge-text" dir="auto">
              <b>{t(`role.${node.role}`)}</b> {labelOf(node, t)}
            </span>
            <span className="merge-count">{formatNumber(tokens, t.locale)}</span>
          </label>
        ))}
      </div>
      <button type="button" className="link-button" onClick={() => onPick(isAll ? [] : all)}>
        {t(isAll ? 'merge.pickNone' : 'merge.pickAll')}
      </button>
    </>
  );
}
