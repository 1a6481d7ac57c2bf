import type { ContentBlock, ContextItem, RawResponse } from '@bough/core';
import { messageOf, nodeId } from '@bough/core';
import { openaiResponsesDeployment } from '../../../deployments/openai-responses.ts';
import type { PreparedRequest, RenderInput } from '../../../protocol.ts';
import { rawOf, streamOf } from '../testing.ts';
import { openaiResponses } from '../index.ts';
import type { WireItem } from '../wire.ts';

// Conversations in a few words, and the request that they become. Only for tests.

export const OPENAI = openaiResponsesDeployment;

export interface Turn {
  readonly item: ContextItem;
  readonly raw?: RawResponse;
}

export function contextItem(id: string, item: Partial<ContextItem> & Pick<ContextItem, 'message'>): ContextItem {
  return {
    nodeIds: [nodeId(id)],
    source: 'canonical',
    reasoning: 'omit',
    partial: false,
    answeredCalls: [],
    synthetic: false,
    ...item,
  };
}

export const user = (id: string, text: string): Turn => ({
  item: contextItem(id, { message: messageOf('user', [{ type: 'text', text }]) }),
});
export const result = (id: string, callId: string, text: string): Turn => ({
  item: contextItem(id, { message: messageOf('tool', [{ type: 'text', text }], callId) }),
});
export const assistant = (
  id: string,
  blocks: readonly ContentBlock[],
  answeredCalls: readonly string[] = [],
): Turn => ({
  item: contextItem(id, { message: messageOf('assistant', blocks), answeredCalls }),
});

/** A reply of the model itself, from its raw. */
export function own(
  id: string,
  items: readonly WireItem[],
  more: Partial<ContextItem> = {},
  raw = rawOf(streamOf(items)),
): Turn {
  const blocks = openaiResponses.toContentBlocks(raw);
  const answeredCalls = blocks.flatMap((block) => (block.type === 'tool-use' ? [String(block['id'])] : []));
  const item = contextItem(id, {
    message: messageOf('assistant', blocks),
    source: 'raw',
    reasoning: 'verbatim',
    answeredCalls,
    ...more,
  });
  return { item, raw };
}

export function prepare(turns: readonly Turn[], more: Partial<RenderInput> = {}): PreparedRequest {
  const raws = new Map(turns.flatMap(({ item, raw }) => (raw === undefined ? [] : [[item.nodeIds[0], raw] as const])));
  return openaiResponses.prepare({
    items: turns.map(({ item }) => item),
    systemPrompt: 'Be brief.',
    tools: [],
    toolChoice: 'auto',
    thinking: 'medium',
    maxTokens: 1000,
    stream: true,
    model: OPENAI.modelInfo('gpt-5.5'),
    deployment: OPENAI,
    rawOf: (id) => raws.get(id),
    ...more,
  });
}

export const bodyOf = (request: PreparedRequest): WireItem => JSON.parse(request.body) as WireItem;
export const inputOf = (request: PreparedRequest): readonly WireItem[] =>
  bodyOf(request)['input'] as readonly WireItem[];
