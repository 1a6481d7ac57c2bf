import type { RenderNote } from '../../../protocol.ts';
import { hasLoneSurrogate, withoutLoneSurrogates } from '../../../render/json-text.ts';
import type { ReplyBlock } from '../response/reply-block.ts';
import { isReasoning, isServerCall, isServerResult } from '../wire.ts';
import type { Note, SentBlock, Thought } from './fragments.ts';
import { REPLACED } from './fragments.ts';
import { isSummary, programOf } from './stored-replies.ts';

/** How a stored reply is sent back. */
export interface ReplayOptions {
  /** `unreadable`: another model wrote it, and this one cannot use it. */
  readonly reasoning: 'verbatim' | 'omit' | 'unreadable';
  /** The id under which a call is sent, or null if it is not sent. */
  readonly wireId: (callId: string) => string | null;
  /** Whether a call of a provider's own tool may be sent back, considering the whole request. */
  readonly keepsServerBlock: (block: ReplyBlock) => boolean;
  /** Whether the code that made a call is in the request. */
  readonly isSentProgram: (program: string) => boolean;
}

export interface Replay {
  readonly sent: readonly SentBlock[];
  readonly notes: readonly Note[];
}

/** The blocks of a reply in the provider's own words, without those that the API would refuse. */
export function replay(blocks: readonly ReplyBlock[], options: ReplayOptions): Replay {
  const notes: Note[] = [];
  const note = (reason: RenderNote['reason'], detail: string) => notes.push({ reason, detail });
  const steps: readonly ((blocks: readonly ReplyBlock[]) => readonly ReplyBlock[])[] = [
    (list) => wholeBlocks(list, note),
    (list) => readableReasoning(list, options.reasoning, note),
    (list) => behindLastFallback(list, note),
    (list) => fromSummary(list),
    (list) => list.filter((block, at) => block.type !== 'tool_use' || isSentCall(block, list.slice(0, at), options)),
    (list) => list.filter((block) => keepServerBlock(block, options, note)),
    (list) => list.filter((block) => block.type !== 'text' || (block.text('text') ?? '').trim() !== ''),
    (list) => callsLast(list, note),
  ];
  const blocksToSend = steps.reduce((list, step) => step(list), blocks);
  return {
    sent: blocksToSend.map((block) => ({ text: fragment(block, options, note), thought: thoughtOf(block) })),
    notes,
  };
}

function thoughtOf(block: ReplyBlock): Thought | null {
  if (!isReasoning(block)) return null;
  return {
    token: block.text(block.type === 'redacted_thinking' ? 'data' : 'signature') ?? '',
    text: block.text('thinking') ?? '',
  };
}

/** The ids of the calls that can be sent back, once each. */
export function callIds(blocks: readonly ReplyBlock[]): readonly string[] {
  const boundary = blocks.findLastIndex((block) => block.type === 'fallback');
  const calls = blocks.slice(boundary + 1).filter((block) => block.type === 'tool_use' && block.whole);
  return [...new Set(calls.map(callId))];
}

type Noting = (reason: RenderNote['reason'], detail: string) => void;

const callId = (block: ReplyBlock) => block.text('id') ?? '';

/** A call is sent back once, and only with its result. */
function isSentCall(block: ReplyBlock, before: readonly ReplyBlock[], { wireId }: ReplayOptions): boolean {
  const id = callId(block);
  return wireId(id) !== null && !before.some((other) => other.type === 'tool_use' && callId(other) === id);
}

/** Whatever carries reasoning, including future kinds that are signed like it. */
const carriesReasoning = (block: ReplyBlock) =>
  isReasoning(block) || (!isKnown(block) && (block.text('signature') ?? '') !== '');

const isKnown = (block: ReplyBlock) =>
  ['text', 'tool_use', 'fallback', 'compaction'].includes(block.type) || isServerCall(block) || isServerResult(block);

function wholeBlocks(blocks: readonly ReplyBlock[], note: Noting): readonly ReplyBlock[] {
  return blocks.filter((block) => {
    if (block.whole && !(carriesReasoning(block) && hasLoneSurrogate(block.json()))) return true;
    if (block.type === 'thinking')
      note('thinking_unsigned', 'A thought that broke off before its signature is not sent.');
    else note('custom_block_not_sent', `A ${block.type} block that broke off is not sent.`);
    return false;
  });
}

function readableReasoning(
  blocks: readonly ReplyBlock[],
  mode: ReplayOptions['reasoning'],
  note: Noting,
): readonly ReplyBlock[] {
  if (mode === 'verbatim') return blocks;
  const kept = blocks.filter((block) => !carriesReasoning(block));
  if (mode === 'unreadable' && kept.length < blocks.length) {
    note('thinking_not_replayable', 'The model cannot read the thinking of the model that wrote this reply.');
  }
  return kept;
}

/** If a turn changed hands, what the model that declined had thought and called must be left out. */
function behindLastFallback(blocks: readonly ReplyBlock[], note: Noting): readonly ReplyBlock[] {
  const boundary = blocks.findLastIndex((block) => block.type === 'fallback');
  const kept = blocks.filter((block, at) => at > boundary || !(carriesReasoning(block) || block.type === 'tool_use'));
  if (kept.length < blocks.length) {
    note('thinking_not_replayable', 'What was thought and called before another model took over is not sent.');
  }
  return kept;
}

/** A summary comes first: it stands for everything before it, in its own reply too. An empty one is refused. */
function fromSummary(blocks: readonly ReplyBlock[]): readonly ReplyBlock[] {
  const kept = blocks.slice(Math.max(0, blocks.findLastIndex(isSummary)));
  return kept.filter((block) => block.type !== 'compaction' || block.text('content') !== '');
}

function keepServerBlock(block: ReplyBlock, options: ReplayOptions, note: Noting): boolean {
  if (!(isServerCall(block) || isServerResult(block)) || options.keepsServerBlock(block)) return true;
  note('repaired', `A ${block.type} block without its other half is not sent.`);
  return false;
}

/** The API takes text and thinking only before calls. Text can be moved there; a thought cannot. */
function callsLast(blocks: readonly ReplyBlock[], note: Noting): readonly ReplyBlock[] {
  const firstCall = blocks.findIndex((block) => block.type === 'tool_use');
  const said = blocks.findLastIndex((block) => block.type === 'text' || isReasoning(block));
  if (firstCall < 0 || said < firstCall) return blocks;
  const rest = blocks.filter((block, at) => block.type !== 'tool_use' && !(at > firstCall && isReasoning(block)));
  const calls = blocks.filter((block) => block.type === 'tool_use');
  note('repaired', 'Text behind a tool call stands before it.');
  if (rest.length + calls.length < blocks.length) {
    note('thinking_not_replayable', 'A thought behind a tool call is not sent.');
  }
  return [...rest, ...calls];
}

/** A call names the code that made it only while that code is in the request. */
export function isStray(block: ReplyBlock, { isSentProgram }: Pick<ReplayOptions, 'isSentProgram'>): boolean {
  const program = programOf(block);
  return program !== null && !isSentProgram(program);
}

function fragment(block: ReplyBlock, options: ReplayOptions, note: Noting): string {
  const id = block.type === 'tool_use' ? callId(block) : null;
  const wireId = id === null ? null : options.wireId(id);
  const isRewritten = wireId !== null && wireId !== id;
  if (isRewritten) note('tool_id_rewritten', `The call ${id} is sent as ${wireId}.`);
  const text = block.json({
    ...(isRewritten && { id: wireId }),
    ...(isStray(block, options) && { without: 'caller' }),
  });
  if (!hasLoneSurrogate(text)) return text;
  note(REPLACED.reason, REPLACED.detail);
  return withoutLoneSurrogates(text);
}
