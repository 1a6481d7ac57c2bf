import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai';
import type { ReplayLine } from '../report/index.ts';

const NO_RESULT = 'This tool call was not executed: it has no result.';

type ToolPart = ToolModelMessage['content'][number];
type Call = { readonly toolCallId: string; readonly toolName: string };

/**
 * Answers every call of a history, once, directly after it: `streamText` itself refuses an unanswered call before any
 * middleware sees it. A call that was interrupted gets an error result; a result without a call, or a duplicate, is
 * left out. Calls at the end whose approval the user has decided on are left to the AI SDK.
 */
export function pairToolCallsInModelMessages(messages: readonly ModelMessage[]): {
  readonly messages: ModelMessage[];
  /** What was changed; empty if every call had its result. */
  readonly report: readonly ReplayLine[];
} {
  const paired: ModelMessage[] = [];
  const report: ReplayLine[] = [];
  let index = 0;
  while (index < messages.length) {
    const message = messages[index];
    if (message === undefined) break;
    if (message.role !== 'tool') paired.push(message);
    const end = behindTools(messages, message.role === 'tool' ? index : index + 1);
    const parts = messages.slice(index, end).flatMap((next, offset) => placed(next, index + offset));
    const decided = end === messages.length ? decidedCalls(message, parts) : new Set<string>();
    const calls = callsOf(message);
    const open = new Map(calls.map((call) => [call.toolCallId, call]));
    const kept: ToolPart[] = [];
    for (const { part, at } of parts) {
      if (part.type !== 'tool-result' || open.delete(part.toolCallId)) kept.push(part);
      else report.push(line(at, 'tool', part.toolCallId, 'tool_result_without_call', 'dropped'));
    }
    for (const { toolCallId, toolName } of open.values()) {
      if (decided.has(toolCallId)) continue;
      kept.push({ type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: NO_RESULT } });
      report.push(line(index, 'assistant', toolCallId, 'tool_call_without_result', 'verbatim'));
    }
    if (kept.length > 0) paired.push({ role: 'tool', content: kept });
    index = Math.max(end, index + 1);
  }
  return { messages: paired, report };
}

function behindTools(messages: readonly ModelMessage[], from: number): number {
  const next = messages.findIndex((message, at) => at >= from && message.role !== 'tool');
  return next < 0 ? messages.length : next;
}

function placed(message: ModelMessage, at: number): readonly { readonly part: ToolPart; readonly at: number }[] {
  return message.role === 'tool' ? message.content.map((part) => ({ part, at })) : [];
}

function callsOf(message: ModelMessage): readonly Call[] {
  return partsOf(message).flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true ? [part] : [],
  );
}

/** Calls that the user has decided on: the AI SDK runs them, or answers that they were denied. */
function decidedCalls(message: ModelMessage, parts: readonly { readonly part: ToolPart }[]): ReadonlySet<string> {
  const decided = new Set(
    parts.flatMap(({ part }) => (part.type === 'tool-approval-response' ? [part.approvalId] : [])),
  );
  return new Set(
    partsOf(message).flatMap((part) =>
      part.type === 'tool-approval-request' && decided.has(part.approvalId) ? [part.toolCallId] : [],
    ),
  );
}

function partsOf(message: ModelMessage): readonly Exclude<AssistantModelMessage['content'], string>[number][] {
  return message.role === 'assistant' && typeof message.content !== 'string' ? message.content : [];
}

function line(
  message: number,
  role: ReplayLine['role'],
  toolCallId: string,
  reason: ReplayLine['reasons'][number],
  fidelity: ReplayLine['fidelity'],
): ReplayLine {
  return { message, role, toolCallId, fidelity, reasons: [reason], details: [] };
}
