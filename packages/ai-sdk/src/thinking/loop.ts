/** A message of a prompt or of an application. */
interface Said {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
}

export interface OpenLoop {
  /** Where the loop begins: at the reply that made its first call. */
  readonly start: number;
  /** Whether any reply that opened it does not begin with a thought. */
  readonly lacksThought: boolean;
}

/**
 * The tool loop that a request continues, as Claude sees it: results and a question after them are one message, so a
 * loop continues across a question that was not answered. Null if the request does not end with a result.
 */
export function openLoop(messages: readonly Said[]): OpenLoop | null {
  let lacksThought = false;
  let end = messages.length;
  for (;;) {
    const reply = messages.slice(0, end).findLastIndex(({ role }) => role === 'assistant');
    const goesOn = reply >= 0 && messages.slice(reply + 1, end).some(({ role }) => role === 'tool');
    if (!goesOn) return end === messages.length ? null : { start: end, lacksThought };
    const start = messages.slice(0, reply).findLastIndex(({ role }) => role !== 'assistant') + 1;
    const before = turnBefore(messages, start);
    const opens = before.every(({ role }) => role !== 'tool') || before.some(({ role }) => role === 'user');
    if (opens && !thinksFirst(messages[start])) lacksThought = true;
    end = start;
  }
}

function turnBefore(messages: readonly Said[], start: number): readonly Said[] {
  const reply = messages.slice(0, start).findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(reply + 1, start);
}

function thinksFirst(message: Said | undefined): boolean {
  return typeof message?.content !== 'string' && message?.content[0]?.type === 'reasoning';
}
