import type { ProtocolId } from '@bough/core';
import { isToolUseBlock } from '@bough/core';
import type { ClientBody, ClientMessage, ClientPart } from '../dialect.ts';
import { listKey } from '../repair/elements.ts';
import { objectOf, parseJson } from './json.ts';
import { READERS } from './readers.ts';
import type { Span } from './scan.ts';
import { memberSpans } from './scan.ts';

/** What is kept of a body that was read: its text and where its messages stand in it, but not what they say. */
export interface ReadBefore {
  readonly text: string;
  readonly list: Span;
  readonly messages: readonly KnownMessage[];
}

interface KnownMessage extends Span {
  readonly parts: readonly KnownPart[];
  readonly calls: number;
}

type KnownPart = Pick<ClientPart, 'role' | 'likeness' | 'toolCallId' | 'isError'>;

/** Null for a body that the next one cannot be read on from. */
export function readBefore(body: ClientBody, known: ReadBefore | null): ReadBefore | null {
  const { protocol, text, messages, resumed } = body;
  // Tools that stand between the messages are the body's, wherever they are.
  if (protocol === 'openai-responses' && text.includes('"additional_tools"')) return null;
  const list = resumed?.list ?? memberSpans(text)?.get(listKey(protocol));
  if (list === undefined || text[list.from] !== '[') return null;
  const from = resumed?.from ?? 0;
  const fresh = messages.slice(from).map((message): KnownMessage => ({
    from: message.from,
    to: message.to,
    parts: message.parts.map(({ role, likeness, toolCallId, isError }) => ({ role, likeness, toolCallId, isError })),
    calls: message.parts.reduce((sum, { blocks }) => sum + blocks.filter(isToolUseBlock).length, 0),
  }));
  return { text, list, messages: [...(known?.messages.slice(0, from) ?? []), ...fresh] };
}

/**
 * Reads a body that begins like an earlier one: of the messages that are the same, only the first is read again (what
 * stands before it may be instructions) and the last reply with what follows it. As `readBody` would read it, but what
 * those in between say is read only if somebody asks. Null where nothing is gained: then it is read whole. `common` are
 * the characters that both texts begin with.
 */
export function resumeBody(
  protocol: ProtocolId,
  text: string,
  pathModel: string | undefined,
  { reading: before, common }: { readonly reading: ReadBefore; readonly common: number },
  whole: () => ClientBody | null,
): ClientBody | null {
  const { messages: known } = before;
  // It begins with a reply: results are paired with the calls before them, and the items of one reply belong together.
  const from = known.findLastIndex(({ to, parts }) => to <= common && parts[0]?.role === 'assistant');
  const [first] = known;
  const last = known[from - 1];
  if (first === undefined || last === undefined || first.parts[0]?.role === 'assistant') return null;
  const skipped = last.to - first.to;
  if (skipped === 0) return null;
  const short = text.slice(0, first.to) + text.slice(last.to);
  const json = objectOf(parseJson(short));
  if (json === undefined) return null;
  const list = memberSpans(short)?.get(listKey(protocol));
  // Of a list that is written twice, the last one counts.
  if (list?.from !== before.list.from) return null;
  const calls = known.slice(1, from).reduce((sum, message) => sum + message.calls, 0);
  const read = orNull(() => READERS[protocol](json, short, pathModel, calls));
  const [opening, ...rest] = read?.messages ?? [];
  if (read === null || opening?.to !== first.to || opening.from !== first.from) return null;
  const partAt = (message: number, nth: number): ClientPart => {
    const part = whole()?.messages[message]?.parts[nth];
    if (part === undefined) throw new Error('A body that was read on from an earlier one cannot be read by itself.');
    return part;
  };
  const between = known.slice(1, from).map(({ from: start, to, parts }, at): ClientMessage => ({
    from: start,
    to,
    parts: parts.map((part, nth) => new UnreadPart(part, partAt, at + 1, nth)),
  }));
  const moved = rest.map((message) => ({ ...message, from: message.from + skipped, to: message.to + skipped }));
  return {
    ...read,
    messages: [opening, ...between, ...moved],
    text,
    json: () => whole()?.json() ?? json,
    resumed: { from, json, list: { from: list.from, to: list.to + skipped } },
  };
}

/** A value that is nested absurdly deep exhausts the stack. */
function orNull<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** A part that is known from an earlier body. Objects of 500 messages are made for each request: these are small. */
class UnreadPart implements ClientPart {
  readonly #known: KnownPart;
  readonly #read: (message: number, part: number) => ClientPart;
  readonly #message: number;
  readonly #nth: number;

  constructor(known: KnownPart, read: (message: number, part: number) => ClientPart, message: number, nth: number) {
    this.#known = known;
    this.#read = read;
    this.#message = message;
    this.#nth = nth;
  }

  get role(): ClientPart['role'] {
    return this.#known.role;
  }

  get likeness(): string {
    return this.#known.likeness;
  }

  get toolCallId(): string | undefined {
    return this.#known.toolCallId;
  }

  get isError(): boolean | undefined {
    return this.#known.isError;
  }

  get blocks(): ClientPart['blocks'] {
    return this.#read(this.#message, this.#nth).blocks;
  }

  get files(): ClientPart['files'] {
    return this.#read(this.#message, this.#nth).files;
  }
}

const STEP = 65_536;

/** How many characters two texts have in common at their beginning. */
export function commonLength(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let from = 0;
  // Slices are compared by the machine, many characters at a time.
  while (from < length && one.slice(from, from + STEP) === other.slice(from, from + STEP)) from += STEP;
  let to = Math.min(from + STEP, length);
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (one.slice(from, middle) === other.slice(from, middle)) from = middle;
    else to = middle - 1;
  }
  return Math.min(from, length);
}
