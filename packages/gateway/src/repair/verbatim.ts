import type { ContentBlock, ContextItem, RawResponse, ToolDefinition } from '@bough/core';
import { isNonEmpty, isToolUseBlock, nodeId, textMessage } from '@bough/core';
import type { Provider } from '@bough/providers';
import { buildContentBlocksForProvider } from '@bough/providers';
import { isReplyElement, listOf } from './elements.ts';

export interface StoredReply {
  readonly raw: RawResponse;
  /** What it says, where somebody has read it already. */
  readonly blocks?: readonly ContentBlock[] | undefined;
  readonly provider: Provider;
  /** The model that is asked now: it may not be the one that replied. */
  readonly model: string;
  readonly tools: readonly ToolDefinition[];
}

const QUESTION = nodeId('question');
const REPLY = nodeId('reply');

/**
 * A stored reply as Bough itself would send it back to this model: as it came, or, if another issuer made it, without
 * its reasoning. The elements of the client's list, in order. It is rendered between a question and results for all of
 * its calls, because a protocol leaves out what has no place in a request. Null if nothing of it can be sent.
 */
export function verbatim({
  raw,
  blocks = buildContentBlocksForProvider(raw),
  provider,
  model,
  tools,
}: StoredReply): readonly unknown[] | null {
  if (!isNonEmpty(blocks)) return null;
  const calls = blocks.filter(isToolUseBlock).map(({ id }) => id);
  const plain = {
    source: 'canonical',
    reasoning: 'verbatim',
    partial: false,
    answeredCalls: [],
    synthetic: false,
  } as const;
  const items: readonly ContextItem[] = [
    { ...plain, nodeIds: [QUESTION], message: textMessage('user', '.') },
    {
      ...plain,
      nodeIds: [REPLY],
      source: 'raw',
      message: { role: 'assistant', content: blocks },
      partial: !raw.complete,
      answeredCalls: calls,
    },
    ...calls.map((id): ContextItem => ({
      ...plain,
      nodeIds: [nodeId(`result ${id}`)],
      message: { role: 'tool', content: [{ type: 'text', text: '.' }], tool_call_id: id },
    })),
    ...(calls.length > 0 ? [] : [{ ...plain, nodeIds: [nodeId('next')] as const, message: textMessage('user', '.') }]),
  ];
  const { body } = provider.prepare({
    items,
    systemPrompt: null,
    tools,
    toolChoice: 'auto',
    thinking: 'medium',
    maxTokens: provider.modelInfo(model).maxOutputTokens,
    stream: true,
    model,
    rawOf: (node) => (node === REPLY ? raw : undefined),
  });
  const list = listOf(provider.deployment.protocol, JSON.parse(body)).filter(isReplyElement);
  return list.length === 0 ? null : list;
}
