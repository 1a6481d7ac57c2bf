import { launch } from '../stream/processes.ts';
import type { Contestant } from './contestants.ts';
import type { Answer, Question } from './programs/client.ts';
import type { Wish } from './reply.ts';

/** The client program: holds conversations and goes on with many at once, in its own process. */
export interface Client {
  /** New conversations of about this many bytes. */
  readonly open: (count: number, bytes: number) => Promise<readonly string[]>;
  /** The first requests of conversations: a few at a time, because all of their history is new to a gateway. */
  readonly begin: (contestant: Contestant, talks: readonly string[], wish: Wish) => Promise<Answer>;
  /** Throws unless every reply says what the vendor said. */
  readonly say: (contestant: Contestant, talks: readonly string[], wish: Wish, times?: number) => Promise<Answer>;
  readonly close: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const AT_ONCE = 4;

export async function startClient(): Promise<Client> {
  const { ask, stop } = await launch(new URL('programs/client.js', import.meta.url));
  const put = (question: Question): Promise<Answer> => ask<Answer>(question);
  let opened = 0;
  const say: Client['say'] = ({ url, headers }, talks, wish, times = 1) =>
    put({ type: 'say', url, headers, talks, times, ...wish });
  return {
    say,
    begin: async (contestant, talks, wish) => {
      const answers: Answer[] = [];
      for (let at = 0; at < talks.length; at += AT_ONCE)
        answers.push(await say(contestant, talks.slice(at, at + AT_ONCE), wish));
      return {
        firstByte: answers.flatMap(({ firstByte }) => firstByte),
        unrecorded: answers.reduce((sum, { unrecorded }) => sum + unrecorded, 0),
        bytes: answers.at(-1)?.bytes ?? 0,
      };
    },
    open: async (count, bytes) => {
      // A session of its own for each, in every contestant: what one of them knows must be of no use to another.
      const talks = Array.from({ length: count }, () => `session-${(opened += 1)}`);
      await put({ type: 'open', talks, bytes });
      return talks;
    },
    close: async () => {
      await put({ type: 'close' });
    },
    stop,
  };
}
