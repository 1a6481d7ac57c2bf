import type { Segmentation, StreamLine, TimelineItem } from '@bough/core';
import { growLastItem, pushItem, startSegments } from '@bough/core';

/** A running turn as it is shown: segmented by the same function that segments stored turns. */
export interface LiveTurn {
  readonly turnId: string;
  readonly segmentation: Segmentation;
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
      return { ...next, segmentation: startSegments(line.isThinkingMode), userNodeId: line.userNodeId };
    case 'node':
      return { ...next, model: line.model };
    case 'thinking':
      return thoughtAt(
        turn,
        withText(next, line.append === true, (before) => ({
          type: 'think',
          nodeId: null,
          text: before + line.content,
          redacted: false,
        })),
        now,
      );
    case 'text':
      return withText(next, line.append === true, (before) => ({
        type: 'text',
        nodeId: null,
        text: before + line.content,
        isError: false,
      }));
    case 'block':
      return line.block.type === 'redacted_thinking'
        ? push(next, { type: 'think', nodeId: null, text: '', redacted: true })
        : next;
    case 'tool_call':
      return push(next, {
        type: 'tool',
        nodeId: null,
        id: line.id,
        name: line.name,
        parameters: line.parameters,
        result: null,
      });
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
    case 'thinking_signature':
      return next;
  }
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

function push(turn: LiveTurn, item: TimelineItem): LiveTurn {
  return { ...turn, segmentation: pushItem(turn.segmentation, item) };
}

function withText(turn: LiveTurn, append: boolean, item: (before: string) => TimelineItem): LiveTurn {
  const last = turn.segmentation.segments.at(-1)?.items.at(-1);
  const grows = append && last !== undefined && last.type === item('').type && last.type !== 'tool';
  if (!grows) return push(turn, item(''));
  return { ...turn, segmentation: growLastItem(turn.segmentation, item(last.text)) };
}

function withResult(turn: LiveTurn, line: Extract<StreamLine, { type: 'tool_result' }>): LiveTurn {
  const result = { nodeId: null, content: line.content, isError: line.isError };
  const segments = turn.segmentation.segments.map((segment) =>
    segment.items.some((item) => item.type === 'tool' && item.id === line.toolCallId)
      ? {
          ...segment,
          items: segment.items.map((item) =>
            item.type === 'tool' && item.id === line.toolCallId ? { ...item, result } : item,
          ),
        }
      : segment,
  );
  return { ...turn, segmentation: { ...turn.segmentation, segments } };
}
