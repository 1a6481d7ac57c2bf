import type { Branch, NodeId, Recorded } from '@bough/core';
import { excerpt, freeName, isTextBlock } from '@bough/core';
import type { SessionIds } from './records.ts';
import type { SessionMessage, SessionProject, SessionThread } from './session.ts';

/** A branch to be made, with what lies on it. */
export interface SessionLine {
  readonly branch: Pick<Branch, 'id' | 'name' | 'tipId' | 'forkedFromId'> & Required<Pick<Branch, 'recorded'>>;
  /** From the root to the tip. */
  readonly path: readonly NodeId[];
  /** What lies on no earlier line. */
  readonly own: readonly NodeId[];
  readonly systemPrompt: string | null;
}

interface Line {
  readonly key: string;
  readonly thread: SessionThread;
  /** Whether it goes on elsewhere than its thread did. */
  readonly isLeft: boolean;
  readonly messages: SessionMessage[];
}

/**
 * A branch for each thread, and one for each place where a thread was taken back and went on otherwise. The first line
 * keeps the thread's own branch: so every branch keeps its id, and only grows, while the session grows.
 */
export function linesOf(session: SessionProject, space: SessionIds): readonly SessionLine[] {
  const byKey = new Map(session.messages.map((message) => [message.key, message]));
  const threads = new Map(session.threads.map((thread) => [thread.key, thread]));
  const lines = new Map<string, Line>();
  const lineOf = new Map<string, Line>();
  for (const message of session.messages) {
    const above = message.parentKey === null ? undefined : lineOf.get(message.parentKey);
    const thread = threads.get(message.threadKey);
    if (thread === undefined) continue;
    const goesOn = above?.thread === thread && above.messages.at(-1)?.key === message.parentKey;
    const isLeft = !goesOn && lines.has(thread.key);
    const key = isLeft ? `${thread.key} from ${message.key}` : thread.key;
    const line = goesOn ? above : { key, thread, isLeft, messages: [] };
    if (!goesOn) lines.set(key, line);
    line.messages.push(message);
    lineOf.set(message.key, line);
  }
  const names = new Set<string>();
  return [...lines.values()].map(({ key, thread, isLeft, messages }, at): SessionLine => {
    const [first] = messages;
    const wanted = isLeft || thread.name === null ? titleOf(first) : thread.name;
    const name = freeName(at === 0 ? 'main' : wanted, names);
    names.add(name);
    const last = messages.at(-1);
    const forkPoint = first?.parentKey ?? null;
    return {
      branch: {
        id: space.branch(key),
        name,
        tipId: last === undefined ? null : space.node(last.key),
        forkedFromId: forkPoint === null ? null : space.node(forkPoint),
        recorded: {
          client: session.client,
          session: thread.session,
          kind: thread.kind,
          beside: thread.besideKey === null ? null : space.node(thread.besideKey),
          because: isLeft ? becauseOf(first) : thread.because,
        },
      },
      path: pathTo(last, byKey).map((message) => space.node(message.key)),
      own: messages.map((message) => space.node(message.key)),
      systemPrompt: thread.systemPrompt,
    };
  });
}

function becauseOf(first: SessionMessage | undefined): Recorded['because'] {
  if (first?.role === 'user') return 'rewound';
  return first?.role === 'assistant' ? 'regenerated' : null;
}

function pathTo(tip: SessionMessage | undefined, byKey: ReadonlyMap<string, SessionMessage>): SessionMessage[] {
  const path: SessionMessage[] = [];
  for (let at = tip; at !== undefined; at = at.parentKey === null ? undefined : byKey.get(at.parentKey)) path.push(at);
  return path.reverse();
}

function titleOf(message: SessionMessage | undefined): string {
  const text = message?.blocks.find(isTextBlock)?.text ?? '';
  return excerpt(text, 40) || 'fork';
}
