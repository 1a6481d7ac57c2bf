import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { Files } from '../../parts/files/index.tsx';
import { Folded } from '../../parts/folded.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { insertIntoComposer } from '../../session/composer-bus.ts';
import type { Outgoing } from '../../session/outbox.ts';
import { sendMessage, takeBack, useOutbox } from '../../session/outbox.ts';
import { attempt } from '../../session/refusals.ts';

/** Messages that were sent from here and that the loaded turns do not hold yet. */
export function useOutgoing(
  projectId: string,
  branch: BranchView,
  groups: readonly MessageGroupView[],
): readonly Outgoing[] {
  const outbox = useOutbox(projectId, branch.id);
  const user = groups.at(-1)?.user ?? null;
  // It is stored a moment before it leaves the outbox: it must not be shown twice for a frame.
  return outbox.filter(({ text, tipId }) => user === null || user.content !== text || user.parentId !== tipId);
}

interface OutgoingMessagesProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly messages: readonly Outgoing[];
}

/** What was sent, at once: nobody should wonder whether it was. If it could not be, it says so and stays. */
export function OutgoingMessages({ projectId, branch, messages }: OutgoingMessagesProps) {
  const t = useT();
  const again = ({ text, files, requestId }: Outgoing): Promise<boolean> =>
    attempt(async () => {
      try {
        await sendMessage(projectId, branch, { text, files }, requestId);
      } catch (error) {
        insertIntoComposer(text, files);
        throw error;
      }
    });
  return messages.map((message) => (
    <article key={message.requestId} className="turn outgoing" aria-busy={message.problem === null}>
      <section className="user" role="group" aria-label={t('conversation.you')}>
        <Files files={message.files} project={null} />
        {message.text === '' ? null : (
          <Folded height={300}>
            <LongText tag="p" className="user-text" text={message.text} />
          </Folded>
        )}
      </section>
      {message.problem === null ? (
        <p className="outgoing-state" role="status">
          {t('outbox.sending')}
        </p>
      ) : (
        <div className="notice danger outgoing-failed" role="alert">
          <p>{t('outbox.failed', { reason: message.problem })}</p>
          <button type="button" className="button small" onClick={() => void again(message)}>
            {t('outbox.retry')}
          </button>
          <button
            type="button"
            className="button small quiet"
            onClick={() => {
              takeBack(projectId, branch.id, message.requestId);
              insertIntoComposer(message.text, message.files);
            }}
          >
            {t('outbox.edit')}
          </button>
        </div>
      )}
    </article>
  ));
}
