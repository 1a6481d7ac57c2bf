import type { LanguageModelV3Prompt, LanguageModelV3ToolCallPart } from '@ai-sdk/provider';
import type { ContentBlock, ContextItem, NodeId } from '@bough/core';
import { deriveTextFromBlocks, isTextBlock, isToolUseBlock } from '@bough/core';
import type { ReportDraft } from '../report/index.ts';
import type { AssistantPart, Outgoing, ToolPart } from './parts.ts';
import { isBlank, isCall, isThoughtFile } from './parts.ts';
import type { Place, PromptPath } from './path.ts';
import { PART_BLOCK } from './path.ts';

/** Turns what was decided back into messages of the AI SDK. What is sent verbatim is the original part, untouched. */
export function renderItems(
  items: readonly ContextItem[],
  prompt: LanguageModelV3Prompt,
  { places, approvals }: PromptPath,
  report: ReportDraft,
): readonly Outgoing[] {
  // System messages come first, wherever they were: some providers refuse them anywhere else.
  const out: Outgoing[] = prompt.flatMap((message, index) => {
    if (message.role !== 'system') return [];
    if (message.content.trim() !== '') return [{ message, from: [index] }];
    report.note([index], { reason: 'empty', fidelity: 'dropped' });
    return [];
  });
  const names = new Map<string, string>();
  const addResult = (part: ToolPart, from: readonly number[]): void => {
    const last = out.at(-1);
    if (last?.message.role !== 'tool') out.push({ message: { role: 'tool', content: [part] }, from });
    else {
      const message = { ...last.message, content: [...last.message.content, part] };
      out[out.length - 1] = { message, from: [...new Set([...last.from, ...from])] };
    }
  };
  for (const item of items) {
    const sources = item.nodeIds.flatMap((id) => places.get(id) ?? []);
    const from = sources.map(({ index }) => index);
    switch (item.message.role) {
      case 'system':
        break;
      case 'user': {
        const content = sources.flatMap(({ message }) => (message.role === 'user' ? message.content : []));
        const options = sources.at(-1)?.message.providerOptions;
        const said = content.filter((part) => !isBlank(part));
        if (said.length < content.length) report.note(from, { reason: 'empty', detail: 'blank texts stay out' });
        out.push({ message: { role: 'user', content: said, ...(options && { providerOptions: options }) }, from });
        break;
      }
      case 'assistant': {
        const content = replyParts(item, sources, report);
        for (const part of content) if (part.type === 'tool-call') names.set(part.toolCallId, part.toolName);
        const options = item.source === 'raw' ? sources[0]?.message.providerOptions : undefined;
        if (content.length > 0)
          out.push({ message: { role: 'assistant', content, ...(options && { providerOptions: options }) }, from });
        for (const approval of item.synthetic ? [] : approvalsOf(item.nodeIds, approvals)) addResult(approval, from);
        break;
      }
      case 'tool': {
        const { tool_call_id: toolCallId, content } = item.message;
        const given = item.synthetic ? undefined : sources[0]?.result;
        const value = deriveTextFromBlocks(content);
        const toolName = names.get(toolCallId) ?? 'tool';
        addResult(given ?? { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value } }, from);
      }
    }
  }
  return out;
}

function approvalsOf(nodeIds: readonly NodeId[], approvals: PromptPath['approvals']): readonly ToolPart[] {
  return nodeIds.flatMap((id) => approvals.get(id) ?? []);
}

function replyParts(item: ContextItem, sources: readonly Place[], report: ReportDraft): AssistantPart[] {
  const given = sources.flatMap(({ message }) => (message.role === 'assistant' ? message.content : []));
  if (item.source === 'raw') {
    return item.reasoning === 'verbatim' ? [...given] : given.flatMap(withoutSeal);
  }
  const calls = new Map(given.filter(isCall).map((part) => [part.toolCallId, part]));
  return item.message.content.flatMap((block) => {
    if (block.type === PART_BLOCK) {
      report.note(
        sources.map(({ index }) => index),
        {
          reason: 'custom_block_not_sent',
          detail: 'a file or a tool of another provider stays out',
        },
      );
    }
    return partsOfBlock(block, calls);
  });
}

/** Without the metadata of its maker: ids and signatures are only for their issuer. */
function partsOfBlock(
  block: ContentBlock,
  calls: ReadonlyMap<string, LanguageModelV3ToolCallPart>,
): readonly AssistantPart[] {
  if (isTextBlock(block)) return [{ type: 'text', text: block.text }];
  if (!isToolUseBlock(block)) return [];
  const input = calls.get(block.id)?.input ?? block.parameters;
  return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input }];
}

/** If reasoning is left out, what was sealed with it loses its seal too. */
function withoutSeal(part: AssistantPart): readonly AssistantPart[] {
  if (part.type === 'reasoning' || isThoughtFile(part)) return [];
  const { providerOptions, ...rest } = part;
  if (providerOptions === undefined) return [part];
  const { openai: _, google: __, ...others } = providerOptions;
  return [{ ...rest, providerOptions: others }];
}
