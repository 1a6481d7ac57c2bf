import { isPlainObject, memoized } from '@bough/core';
import type { PreparedRequest, RenderInput } from '../../../protocol.ts';
import { withoutLoneSurrogates } from '../../../render/json-text.ts';
import type { Body } from '../wire.ts';
import type { History } from './history.ts';
import type { MessageText } from './messages.ts';
import type { ThinkingParameters } from './thinking.ts';

/**
 * A body twice: parsed, for the rules, and as text. Blocks keep their own spelling: a repair that leaves an object
 * untouched leaves its bytes untouched.
 */
export class BodyText {
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }

  /** The text of this body, or of what a repair made of it. */
  write(body: Body = this.body): string {
    const members = Object.entries(body).filter(([, value]) => value !== undefined);
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${spell(key, value)}`).join(',')}}`;
  }

  /** The same body with the messages of a front before its own. The front is neither written nor encoded again. */
  writeBehind(front: FrontText): Written {
    const { messages, ...settings } = this.body;
    const before = `${this.write(settings).slice(0, -1)},"messages":[`;
    const behind = `,${Array.isArray(messages) ? messagesText(messages) : ''}]}`;
    return {
      body: before + front.text + behind,
      pieces: [ENCODER.encode(before), ...front.pieces, ENCODER.encode(behind)],
    };
  }
}

type Written = Pick<PreparedRequest, 'body' | 'pieces'>;

/** Messages as they stand in a body, with a comma between each two: as text, and encoded in pieces. */
export interface FrontText {
  readonly text: string;
  readonly pieces: readonly Uint8Array[];
}

const ENCODER = new TextEncoder();

/** The text of a front with the messages of a history behind it. */
export function frontText(before: FrontText | null, history: History): FrontText {
  const text = history.messages.map(({ role, blocks }) => spelled(role, blocks)).join(',');
  if (before === null) return { text, pieces: [ENCODER.encode(text)] };
  return { text: `${before.text},${text}`, pieces: withPiece(before.pieces, ENCODER.encode(`,${text}`)) };
}

/** Each piece is larger than the next: a long conversation is a few of them, and adding a turn copies little. */
function withPiece(pieces: readonly Uint8Array[], added: Uint8Array): readonly Uint8Array[] {
  const last = pieces.at(-1);
  if (last === undefined || last.length > added.length) return [...pieces, added];
  const joined = new Uint8Array(last.length + added.length);
  joined.set(last);
  joined.set(added, last.length);
  return withPiece(pieces.slice(0, -1), joined);
}

function spell(key: string, value: unknown): string {
  return key === 'messages' && Array.isArray(value) ? `[${messagesText(value)}]` : JSON.stringify(value);
}

function messagesText(messages: readonly unknown[]): string {
  return messages
    .map((message) =>
      isPlainObject(message) && Array.isArray(message['content']) ? messageText(message) : JSON.stringify(message),
    )
    .join(',');
}

/** How each block is written. */
const SPELLING = new WeakMap<object, string>();

const messageText = memoized(({ role, content }: Body): string => {
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  const blocks = list.map((block) => (isPlainObject(block) ? SPELLING.get(block) : undefined) ?? JSON.stringify(block));
  return spelled(role, blocks);
});

function spelled(role: unknown, blocks: readonly string[]): string {
  return `{"role":${JSON.stringify(role)},"content":[${blocks.join(',')}]}`;
}

/** The settings stand in front and the messages last: from `system` on, a request only ever grows at its end. */
export function buildBody(input: RenderInput, history: History, { thinking, effort }: ThinkingParameters): BodyText {
  const system = [...new Set([input.systemPrompt ?? '', ...history.system])]
    .filter((text) => text.trim() !== '')
    .join('\n\n');
  const tools = input.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { type: 'object', ...inputSchema },
  }));
  const body = {
    model: input.model.id,
    max_tokens: input.maxTokens,
    stream: input.stream,
    ...(thinking && { thinking }),
    ...(effort && { output_config: { effort } }),
    ...(input.deployment.quirks['automaticCaching'] === true && { cache_control: { type: 'ephemeral' } }),
    ...(tools.length > 0 && input.toolChoice === 'none' && { tool_choice: { type: 'none' } }),
    ...(system !== '' && { system: wellFormed(system) }),
    ...(tools.length > 0 && { tools: wellFormed(tools) }),
    messages: history.messages.map(parsed),
  };
  return new BodyText(body);
}

function wellFormed(value: unknown): unknown {
  return JSON.parse(withoutLoneSurrogates(JSON.stringify(value)));
}

const parsed = memoized((message: MessageText): Body => {
  const content = message.blocks.map((text): unknown => {
    const block: unknown = JSON.parse(text);
    if (isPlainObject(block)) SPELLING.set(block, text);
    return block;
  });
  return { role: message.role, content };
});
