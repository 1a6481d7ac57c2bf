import type { ContentBlock, ReplyPart, Segmentation, StreamLine, ToolResult } from '@bough/core';
import {
  growLastItem,
  isTextBlock,
  isThinkingBlock,
  segmentTimeline,
  startSegments,
  timelineOfParts,
} from '@bough/core';
import type { ReplyNotice } from './reply-notices.ts';

/** A running turn as it is shown: segmented by the same function that segments stored turns. */
export interface LiveTurn {
  readonly turnId: string;
  readonly segmentation: Segmentation;
  /** What has arrived, as blocks: the newest reply is the last. */
  readonly parts: readonly ReplyPart[];
  /** What tools answered, by the id of the call. */
  readonly results: ReadonlyMap<string, ToolResult>;
  readonly lastSeq: number;
  readonly connected: boolean;
  readonly userNodeId: string | null;
  readonly model: string | null;
  /** Calls that wait for approval. */
  readonly approvals: readonly { readonly toolCallId: string; readonly name: string }[];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: { readonly outputTokens?: number | undefined } | null;
  readonly status: 'running' | 'awaiting_approval' | 'complete' | 'error' | 'interrupted';
  /** The stream itself was lost permanently. */
  readonly problem: string | null;
  /** The provider refused for now: why, and until when it is left alone. */
  readonly waiting: Pick<Extract<StreamLine, { type: 'waiting' }>, 'code' | 'milliseconds' | 'until'> | null;
  /** What the server has to say about the reply, see reply-notices.ts. */
  readonly notices: readonly ReplyNotice[];
  /** How long each tool call took, by its id. */
  readonly toolTimes: ReadonlyMap<string, number>;
  /** How long it thought, by the index of the segment. */
  readonly thoughtTimes: ReadonlyMap<number, ThoughtTime>;
}

export interface ThoughtTime {
  /** From the first to the last piece that arrived; pauses for tools are not counted. */
  readonly ms: number;
  /** When the last piece arrived. */
  readonly lastAt: number;
}

export function startLiveTurn(turnId: string): LiveTurn {
  return {
    turnId,
    segmentation: startSegments(true),
    parts: [],
    results: new Map(),
    lastSeq: 0,
    connected: true,
    userNodeId: null,
    model: null,
    approvals: [],
    error: null,
    usage: null,
    status: 'running',
    problem: null,
    waiting: null,
    notices: [],
    toolTimes: new Map(),
    thoughtTimes: new Map(),
  };
}

/**
 * Takes one line, at the time `now`. A line that was seen before changes nothing, so that no character is ever
 * duplicated.
 */
export function applyLine(turn: LiveTurn, line: StreamLine, now: number): LiveTurn {
  if (line.seq <= turn.lastSeq) return turn;
  const next = { ...turn, lastSeq: line.seq, waiting: null };
  switch (line.type) {
    case 'turn':
      return {
        ...next,
        segmentation: startSegments(line.isThinkingMode),
        parts: [],
        results: new Map(),
        userNodeId: line.userNodeId,
      };
    case 'node':
      return { ...next, model: line.model, parts: [...next.parts, NOTHING_YET] };
    case 'thinking':
      return thoughtAt(turn, withWords(next, line.append === true, 'thinking', line.content), now);
    case 'text':
      return withWords(next, line.append === true, 'text', line.content);
    case 'block':
      return withBlock(next, line.block);
    case 'thinking_signature':
      return withBlock(next, { type: 'thinking_signature', signature: line.content });
    case 'tool_call': {
      const { id, name, parameters } = line;
      return withBlock(next, { type: 'tool-use', id, name, parameters });
    }
    case 'tool_result':
      return {
        ...withResult(next, line),
        toolTimes: new Map(next.toolTimes).set(line.toolCallId, line.durationMs),
        approvals: next.approvals.filter(({ toolCallId }) => toolCallId !== line.toolCallId),
      };
    case 'approval':
      return line.state === 'asked'
        ? {
            ...next,
            status: 'awaiting_approval',
            approvals: [...next.approvals, { toolCallId: line.toolCallId, name: line.name }],
          }
        : {
            ...next,
            status: 'running',
            approvals: next.approvals.filter(({ toolCallId }) => toolCallId !== line.toolCallId),
          };
    case 'waiting':
      return { ...next, waiting: { code: line.code, milliseconds: line.milliseconds, until: line.until } };
    case 'usage':
      return { ...next, usage: line.usage };
    case 'error':
      return { ...next, error: { code: line.code, message: line.message } };
    case 'done':
      return { ...next, status: line.status };
    case 'notice':
      return { ...next, notices: [...next.notices, noticeIn(line)] };
  }
}

function noticeIn({ code, message, brought, missing }: Extract<StreamLine, { type: 'notice' }>): ReplyNotice {
  return { code, message, ...(brought && { brought }), ...(missing && { missing }) };
}

/** Whether the newest thing that arrived is a thought: then it is still thinking. */
export function isThinking({ segmentation }: Pick<LiveTurn, 'segmentation'>): boolean {
  return segmentation.segments.at(-1)?.items.at(-1)?.type === 'think';
}

function thoughtAt(before: LiveTurn, turn: LiveTurn, now: number): LiveTurn {
  const index = turn.segmentation.segments.length - 1;
  const known = turn.thoughtTimes.get(index);
  const continues = known !== undefined && isThinking(before);
  const ms = (known?.ms ?? 0) + (continues ? Math.max(0, now - known.lastAt) : 0);
  return { ...turn, thoughtTimes: new Map(turn.thoughtTimes).set(index, { ms, lastAt: now }) };
}

const NOTHING_YET: ReplyPart = { nodeId: null, blocks: [], isError: false, hasThought: false };

/** Takes the next block of the newest part. Its place may be before others: grounding comes after its text. */
function withBlock(turn: LiveTurn, block: ContentBlock): LiveTurn {
  const part = turn.parts.at(-1) ?? NOTHING_YET;
  const grown = { ...part, blocks: [...part.blocks, block] };
  return segmented({ ...turn, parts: [...turn.parts.slice(0, -1), grown] });
}

/** Segments what has arrived, like a stored reply. */
function segmented(turn: LiveTurn): LiveTurn {
  const { isThinkingMode } = turn.segmentation;
  const segments = segmentTimeline(timelineOfParts(turn.parts, turn.results), isThinkingMode);
  return { ...turn, segmentation: { isThinkingMode, segments } };
}

function withWords(turn: LiveTurn, append: boolean, type: 'text' | 'thinking', words: string): LiveTurn {
  const part = turn.parts.at(-1);
  const last = part?.blocks.at(-1);
  const shown = turn.segmentation.segments.at(-1)?.items.at(-1);
  if (!append || part === undefined || last?.type !== type) return withBlock(turn, blockOf(type, words));
  const before = isTextBlock(last) ? last.text : isThinkingBlock(last) ? last.thinking : '';
  const blocks = [...part.blocks.slice(0, -1), blockOf(type, `${before}${words}`)];
  const next = { ...turn, parts: [...turn.parts.slice(0, -1), { ...part, blocks }] };
  // Nearly every line: only the newest item grows, and nothing else is read again.
  if (shown?.type === 'text' && type === 'text' && before !== '') {
    return { ...next, segmentation: growLastItem(turn.segmentation, { ...shown, text: shown.text + words }) };
  }
  if (shown?.type === 'think' && type === 'thinking') {
    return { ...next, segmentation: growLastItem(turn.segmentation, { ...shown, text: shown.text + words }) };
  }
  return segmented(next);
}

function blockOf(type: 'text' | 'thinking', words: string): ContentBlock {
  return type === 'text' ? { type, text: words } : { type, thinking: words };
}

function withResult(turn: LiveTurn, line: Extract<StreamLine, { type: 'tool_result' }>): LiveTurn {
  const result = { nodeId: null, content: line.content, isError: line.isError };
  return segmented({ ...turn, results: new Map(turn.results).set(line.toolCallId, result) });
}

/** What the reply says so far, without its reasoning and its tools. */
export function liveText({ segmentation }: Pick<LiveTurn, 'segmentation'>): string {
  return segmentation.segments
    .flatMap(({ items }) => items)
    .flatMap((item) => (item.type === 'text' && !item.isError ? [item.text] : []))
    .join('\n\n');
}
