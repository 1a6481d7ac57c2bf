import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { RetryIcon } from '../../parts/icons.tsx';
import { attempt } from '../../session/refusals.ts';
import { errorCodeOf, replyError } from '../../view/reply-error.ts';
import { withoutIds } from '../../view/error-text.ts';
import { sendMessage } from '../../session/send.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { earlyEndOf } from '../../view/early-end.ts';
import { words } from '../../view/message-content.ts';

interface ReplyStateProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly group: MessageGroupView;
  readonly isLast: boolean;
}

/** How a reply ended, if it did not end normally: what went wrong, and how to continue. */
export function ReplyState({ projectId, branch, group, isLast }: ReplyStateProps) {
  const t = useT();
  const { regenerate, continueReply } = useTurnActions(projectId, branch);
  const code = errorCodeOf(group.calls);
  const known = replyError(code, t);
  const error = group.reply.find((node) => node.isError && node.role === 'assistant');
  if (error !== undefined) {
    return (
      <div className="notice danger reply-state" role="alert">
        <div>
          <strong>{t('reply.error')}</strong>
          {known === null ? null : <p>{known}</p>}
          <p className={known === null ? undefined : 'said'} dir="auto">
            {known === null ? null : `${t('reply.error.said')} `}
            <span translate="no">{withoutIds(error.content)}</span>
          </p>
        </div>
        {isLast ? (
          <button type="button" className="button" onClick={() => void attempt(() => regenerate({ nodeId: error.id }))}>
            <RetryIcon />
            {t('reply.retry')}
          </button>
        ) : null}
      </div>
    );
  }
  const early = earlyEndOf(group);
  if (early !== null) {
    const last = group.reply.findLast((node) => node.role === 'assistant');
    const again = (): Promise<boolean> =>
      attempt(() =>
        early === 'max_tokens'
          ? sendMessage(projectId, branch, words(t('reply.early.continue')))
          : regenerate(last === undefined ? {} : { nodeId: last.id }),
      );
    return (
      <div className="notice warn reply-state">
        <p>{t(`reply.early.${early}`)}</p>
        {isLast ? (
          <button type="button" className="button" onClick={() => void again()}>
            {early === 'max_tokens' ? null : <RetryIcon />}
            {early === 'max_tokens' ? t('reply.continue') : t('reply.retry')}
          </button>
        ) : null}
      </div>
    );
  }
  if (group.status !== 'interrupted') return null;
  return (
    <div className="notice warn reply-state">
      <p>{code === 'stopped' ? t('reply.stopped') : t('reply.interrupted')}</p>
      {isLast ? (
        <button type="button" className="button" onClick={() => void attempt(continueReply)}>
          {t('reply.continue')}
        </button>
      ) : null}
    </div>
  );
}
