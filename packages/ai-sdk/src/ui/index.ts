import type { ContentBlock, RawResponse } from '@bough/core';
import { isPlainObject, nodeId, stableDeepEqual } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import type { UIMessage } from 'ai';
import { nodesOfMessage } from './from.ts';
import type { HistoryNode } from './node.ts';
import { groupNodes, messageOfNodes } from './to.ts';

export type { HistoryNode, UIRemainder } from './node.ts';

export interface ToUIOptions {
  /**
   * The raw response of a reply, if it was kept: a long thought is stored truncated and unsigned, raw has all of it.
   */
  readonly rawOf?: (id: string) => RawResponse | undefined;
}

/**
 * Bough's nodes as messages of the AI SDK. A reply with its tools becomes one message; signatures, redacted and
 * encrypted thinking go where its provider keeps them, and every part names the model that made it. What the AI SDK has
 * no place for is kept in `metadata.bough`, so that `fromUIMessages` returns the same nodes.
 */
export function toUIMessages(nodes: readonly HistoryNode[], { rawOf }: ToUIOptions = {}): UIMessage[] {
  const whole = rawOf === undefined ? nodes : nodes.map((node) => withRaw(node, rawOf(node.id)));
  return groupNodes(whole).map((group) => {
    const plain = messageOfNodes(group);
    const startsMessage = group[0]?.ui?.startsMessage === true;
    const isSame = (message: UIMessage): boolean =>
      stableDeepEqual(readMessage(message, startsMessage), group.map(ownFields));
    if (isSame(plain)) return plain;
    const named = withHeaders(plain, group.map(headerOf));
    return isSame(named)
      ? named
      : withHeaders(
          plain,
          group.map((node) => ({ ...headerOf(node), contentBlocks: node.contentBlocks })),
        );
  });
}

/**
 * Messages of the AI SDK as nodes of Bough: a node for each step of a reply, and one for each tool result. What Bough
 * has no block for is kept in custom blocks, so that `toUIMessages` returns the same messages.
 */
export function fromUIMessages(messages: readonly UIMessage[]): HistoryNode[] {
  return messages.flatMap((message, at) => [...readMessage(message, isSecondReply(messages, at))]);
}

function isSecondReply(messages: readonly UIMessage[], at: number): boolean {
  return messages[at]?.role === 'assistant' && messages[at - 1]?.role === 'assistant';
}

function withRaw(node: HistoryNode, raw: RawResponse | undefined): HistoryNode {
  return raw === undefined || node.role !== 'assistant'
    ? node
    : { ...node, contentBlocks: buildContentBlocksForProvider(raw) };
}

type Header = Omit<HistoryNode, 'contentBlocks' | 'ui'> & { readonly contentBlocks?: readonly ContentBlock[] };

function headerOf({ id, role, toolCallId, provider, modelUsed, madeWith, isError, interrupted }: HistoryNode): Header {
  return { id, role, toolCallId, provider, modelUsed, madeWith, isError, interrupted };
}

/** A stored node has more fields than this bridge carries. */
function ownFields(node: HistoryNode): HistoryNode {
  return { ...headerOf(node), contentBlocks: node.contentBlocks, ...(node.ui !== undefined && { ui: node.ui }) };
}

function withHeaders(message: UIMessage, nodes: readonly Header[]): UIMessage {
  const metadata = isPlainObject(message.metadata) ? message.metadata : {};
  return { ...message, metadata: { ...metadata, bough: { nodes } } };
}

function readMessage(message: UIMessage, startsMessage: boolean): readonly HistoryNode[] {
  const natural = nodesOfMessage(message, startsMessage);
  const headers = headersOf(message.metadata);
  if (headers === null) return natural;
  if (headers.every((header) => header.contentBlocks === undefined)) {
    return headers.length === natural.length ? natural.map((node, at) => ({ ...node, ...headers[at] })) : natural;
  }
  const ui = natural[0]?.ui;
  const exact = headers.map((header, at): HistoryNode => ({
    ...header,
    contentBlocks: header.contentBlocks ?? [],
    ...(at === 0 && ui !== undefined && { ui }),
  }));
  // The parts may have been edited since: then the parts count.
  const { parts } = messageOfNodes(exact);
  return stableDeepEqual(parts, message.parts) ? exact : natural;
}

function headersOf(metadata: unknown): readonly Header[] | null {
  const bough = isPlainObject(metadata) ? metadata['bough'] : undefined;
  const list: unknown = isPlainObject(bough) ? bough['nodes'] : undefined;
  if (!Array.isArray(list)) return null;
  const headers = list.map(readHeader);
  return headers.every((header) => header !== null) ? headers : null;
}

function readHeader(value: unknown): Header | null {
  if (!isPlainObject(value)) return null;
  const { id, role, toolCallId, provider, modelUsed, madeWith, isError, interrupted, contentBlocks } = value;
  if (typeof id !== 'string') return null;
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool') return null;
  return {
    id,
    role,
    toolCallId: textOrNull(toolCallId),
    provider: textOrNull(provider),
    modelUsed: textOrNull(modelUsed),
    madeWith: readMadeWith(madeWith),
    isError: isError === true,
    interrupted: interrupted === true,
    ...(isBlockList(contentBlocks) && { contentBlocks }),
  };
}

function readMadeWith(value: unknown): HistoryNode['madeWith'] {
  if (!isPlainObject(value) || typeof value['prefix'] !== 'string') return null;
  const previous = textOrNull(value['previousThinking']);
  return { prefix: value['prefix'], previousThinking: previous === null ? null : nodeId(previous) };
}

function isBlockList(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every((block) => isPlainObject(block) && typeof block['type'] === 'string');
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
