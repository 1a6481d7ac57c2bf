import type { BranchView, MessageGroupView, NodeView } from '@bough/api/client';
import type { ReactNode } from 'react';
import { memo } from 'react';
import { useT } from '../../i18n/index.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { noticesOf } from '../../view/reply-notices.ts';
import { replyTextOf } from '../../view/reply.ts';
import { isLeftOut } from '../../view/choices.ts';
import { mergeOf } from '../../view/merge.ts';
import { KeptCard, QuestionsBeside } from '../kept/lazy.tsx';
import { MergedMessage } from '../merge/lazy.tsx';
import { CanvasVersion, isCanvasNode } from './canvas-version.tsx';
import { ChoiceMark } from './choice-mark.tsx';
import { FidelityMark } from './fidelity.tsx';
import { Instructions } from './instructions.tsx';
import { MessageActions } from './message-actions.tsx';
import { ReplyFooter } from './reply-footer.tsx';
import { ReplyNotices } from './reply-notices.tsx';
import { ReplyState } from './reply-state.tsx';
import { Segments } from './segments.tsx';
import { UserMessage } from './user-message.tsx';
import { Versions } from './versions.tsx';

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
  // The message was answered before: this is another version of the reply.
  const isAgain = live !== null && user !== null && user.turnId !== live.turnId;
  // Results go with their calls; one that was left out alone says so in its card.
  const chosen = answers.map(({ id }) => id);
  const hasBreak = reply.some((node) => node.id === breakNodeId);
  return (
    <article className="turn" data-node={(user ?? reply[0])?.id}>
      {user === null ? null : isCanvasNode(user) ? (
        <CanvasVersion projectId={projectId} branch={branch.name} node={user} />
      ) : mergeOf(user) !== null ? (
        <MergedMessage projectId={projectId} branch={branch} node={user} highlighted={highlighted === user.id} />
      ) : (
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
          data-left-out={isLeftOut(branch, chosen) ? '' : undefined}
          data-node={last?.id}
          tabIndex={-1}
          data-highlighted={answers.some((node) => node.id === highlighted) ? '' : undefined}
        >
          <ReplyNotices notices={live?.notices ?? noticesOf(group.calls)} isLive={isLive} />
          <Segments
            turnId={live?.turnId ?? group.turnId}
            segments={group.segments}
            nodes={reply}
            calls={group.calls}
            projectId={projectId}
            live={live}
          />
          {isLive ? children : <ReplyState projectId={projectId} branch={branch} group={group} isLast={isLast} />}
          {isLive && isAgain ? (
            <footer className="versions-row">
              <Versions projectId={projectId} branch={branch} node={firstOf(answers)} answers={user?.id ?? null} />
            </footer>
          ) : null}
          {isLive || last === undefined ? null : (
            <QuestionsBeside projectId={projectId} branch={branch} nodeIds={chosen} />
          )}
          {isLive || last === undefined ? null : (
            <KeptCard projectId={projectId} nodeId={(firstOf(answers) ?? last).id} />
          )}
          {isLive || last === undefined ? null : (
            <footer className="reply-footer">
              <ReplyFooter nodes={answers} calls={group.calls} />
              <ChoiceMark branch={branch} nodeIds={chosen} />
              <FidelityMark nodeIds={reply.map((node) => node.id)} />
              <MessageActions
                projectId={projectId}
                branch={branch}
                node={last}
                first={firstOf(answers)}
                answers={user?.id ?? null}
                text={replyTextOf(answers)}
                nodeIds={chosen}
              />
            </footer>
          )}
        </section>
      ) : isLast && user !== null && branch.runningTurnId === null && group.status !== 'running' ? (
        // Nothing came, or it was stopped before its first word; an earlier version must stay within reach. The history
        // may know of a turn a moment before the branch does: a message that was just sent has no earlier version.
        <section className="reply">
          <ReplyState projectId={projectId} branch={branch} group={group} isLast={isLast} />
          <footer className="versions-row">
            <Versions projectId={projectId} branch={branch} node={null} answers={user?.id ?? null} />
          </footer>
        </section>
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
