import type { ProtocolId } from '@bough/core';
import { sha256 } from '@bough/core';
import type { AssistantPart, Outgoing, ToolPart } from '../prompt/parts.ts';
import { isCall, isResult } from '../prompt/parts.ts';
import type { ReportDraft } from '../report/index.ts';
import type { Fit } from './request.ts';

/** What each protocol accepts as the id of a call. */
const IDS: Readonly<Record<ProtocolId, RegExp>> = {
  'anthropic-messages': /^[\w-]{1,64}$/,
  'openai-responses': /^[\w-]{1,64}$/,
  'openai-chat': /^[\w-]{1,40}$/,
  gemini: /^[\s\S]+$/,
};
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Ids that the target refuses, or that an earlier call already has, are replaced on call and result alike; so are names
 * with characters that it does not accept. Both are derived only from the old ones and their position among equals: the
 * next request says the same.
 */
export const fitToolNames: Fit = (draft, { protocol }, report) => {
  const taken = new Map<string, number>();
  let open = new Map<string, string>();
  const newId = (id: string): string => {
    const count = taken.get(id) ?? 0;
    taken.set(id, count + 1);
    return count === 0 && IDS[protocol].test(id) ? id : `call_${sha256(`${id}#${count}`).slice(0, 24)}`;
  };
  return {
    ...draft,
    messages: draft.messages.map((out): Outgoing => {
      if (out.message.role === 'assistant') {
        open = new Map();
        const content = out.message.content.flatMap((part): AssistantPart[] => {
          if (!isCall(part)) return [part];
          if (open.has(part.toolCallId)) {
            const detail = `a second call with the id ${part.toolCallId} stays out`;
            report.note(out.from, { reason: 'tool_call_without_result', detail });
            return [];
          }
          const toolCallId = newId(part.toolCallId);
          open.set(part.toolCallId, toolCallId);
          return [renamed(part, toolCallId, out, report)];
        });
        return { ...out, message: { ...out.message, content } };
      }
      if (out.message.role !== 'tool') return out;
      const content = out.message.content.map((part): ToolPart =>
        isResult(part) ? renamed(part, open.get(part.toolCallId) ?? part.toolCallId, out, report) : part,
      );
      return { ...out, message: { ...out.message, content } };
    }),
  };
};

function renamed<Part extends { toolCallId: string; toolName: string }>(
  part: Part,
  toolCallId: string,
  out: Outgoing,
  report: ReportDraft,
): Part {
  const toolName = NAME.test(part.toolName) ? part.toolName : plainName(part.toolName);
  if (toolCallId === part.toolCallId && toolName === part.toolName) return part;
  if (toolCallId !== part.toolCallId) {
    report.note(out.from, { reason: 'tool_id_rewritten', detail: `${part.toolCallId} is called ${toolCallId}` });
  }
  if (toolName !== part.toolName) {
    report.note(out.from, { reason: 'tool_name_rewritten', detail: `${part.toolName} is called ${toolName}` });
  }
  return { ...part, toolCallId, toolName };
}

function plainName(name: string): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  return plain === '' ? 'tool' : plain;
}
