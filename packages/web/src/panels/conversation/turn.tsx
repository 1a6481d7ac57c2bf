import type { BranchView, MessageGroupView, NodeView } from '@bough/api/client';
import type { ReactNode } from 'react';
import { memo } from 'react';
import { useT } from '../../i18n/index.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { replyTextOf } from '../../view/reply.ts';
import { FidelityMark } from './fidelity.tsx';
import { Instructions } from './instructions.tsx';
import { MessageActions } from './message-actions.tsx';
import { ReplyFooter } from './reply-footer.tsx';
import { ReplyState } from './reply-state.tsx';
import { Segments } from './segments.tsx';
import { UserMessage } from './user-message.tsx';

interface TurnProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly group: MessageGroupView;
  readonly isLast: boolean;
  readonly breakNodeId: string | null;
  readonly highlighted: string | null;
  /** The reply while it runs, and what is shown below it meanwhile. */
  readonly live: LiveTurn | null;
  readonly children: ReactNode;
}

/** One turn: the message, then the reply, segmented by the core. */
export const Turn = memo(function Turn({
  projectId,
  branch,
  group,
  isLast,
  breakNodeId,
  highlighted,
  live,
  children,
}: TurnProps) {
  const t = useT();
  const { user, reply } = group;
  const answers = reply.filter((node) => node.role === 'assistant');
  const last = answers.at(-1);
  const answered = reply.findIndex((node) => node.role === 'assistant');
  const instructions = reply.flatMap((node, index) =>
    node.role === 'system' ? [{ node, isBefore: answered < 0 || index < answered }] : [],
  );
  const isLive = live !== null;
  const hasBreak = reply.some((node) => node.id === breakNodeId);
  return (
    <article className="turn" id={group.turnId === null ? undefined : `turn-${group.turnId}`}>
      {user === null ? null : (
        <UserMessage projectId={projectId} branch={branch} node={user} highlighted={highlighted === user.id} />
      )}
      {instructions
        .filter(({ isBefore }) => isBefore)
        .map(({ node }) => (
          <Instructions key={node.id} node={node} isFirst={user === null} />
        ))}
      {isLive || answers.length > 0 ? (
        <section
          className="reply"
          data-node={last?.id}
          data-highlighted={answers.some((node) => node.id === highlighted) ? '' : undefined}
        >
          <Segments
            turnId={live?.turnId ?? group.turnId}
            segments={group.segments}
            nodes={reply}
            calls={group.calls}
            projectId={projectId}
            live={live}
          />
          {isLive ? children : <ReplyState projectId={projectId} branch={branch} group={group} isLast={isLast} />}
          {isLive || last === undefined ? null : (
            <footer className="reply-footer">
              <FidelityMark nodeIds={reply.map((node) => node.id)} />
              <ReplyFooter nodes={answers} calls={group.calls} />
              <MessageActions
                projectId={projectId}
                branch={branch}
                node={last}
                first={firstOf(answers)}
                text={replyTextOf(answers)}
              />
            </footer>
          )}
        </section>
      ) : isLast && group.status === 'interrupted' ? (
        <ReplyState projectId={projectId} branch={branch} group={group} isLast={isLast} />
      ) : null}
      {instructions
        .filter(({ isBefore }) => !isBefore)
        .map(({ node }) => (
          <Instructions key={node.id} node={node} isFirst={false} />
        ))}
      {hasBreak ? (
        <div className="seam" role="separator">
          <span>{t('conversation.break', { model: branch.model })}</span>
        </div>
      ) : null}
    </article>
  );
});

/** Siblings are children of the user's message: the first node of the reply has them. */
function firstOf(answers: readonly NodeView[]): NodeView | null {
  return answers[0] ?? null;
}
