import type { MessageGroupView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { LongText } from '../../parts/long-text.tsx';
import { AsWritten } from '../../parts/prose.tsx';
import type { LiveTurn } from '../../view/live-turn.ts';

interface TurnAsWrittenProps {
  readonly group: MessageGroupView;
  readonly live: LiveTurn | null;
}

/**
 * A turn in which something could not be shown: what was said, in plain text. Reads as little as possible, because
 * something in it is malformed.
 */
export function TurnAsWritten({ group, live }: TurnAsWrittenProps) {
  const t = useT();
  const stored = group.reply.map(({ content }) => content);
  const arriving = live?.segmentation.segments.flatMap(({ items }) =>
    items.map((item) => (item.type === 'tool' ? item.name : 'text' in item ? item.text : '')),
  );
  return (
    <article className="turn">
      {group.user === null ? null : (
        <section className="user" role="group" aria-label={t('conversation.you')}>
          <LongText tag="p" className="user-text" text={textOf(group.user.content)} />
        </section>
      )}
      <section className="reply">
        <div className="prose">
          <AsWritten text={(arriving ?? stored).map(textOf).join('\n\n')} why="failed" />
        </div>
      </section>
    </article>
  );
}

/** Whatever is found where a text should be. */
function textOf(content: unknown): string {
  return typeof content === 'string' ? content : '';
}
