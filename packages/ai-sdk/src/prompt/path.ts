import type {
  LanguageModelV3DataContent,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider';
import type { ContentBlock, NodeId, TreeNode } from '@bough/core';
import { createNode, isPlainObject, isReasoningBlock, nodeId, projectId, sha256, stableStringify } from '@bough/core';
import { reasoningBlock, sealOf } from '../metadata/index.ts';
import type { Origin } from '../stamp/index.ts';
import type { AssistantPart, AssistantPrompt, ToolPart, UserPart } from './parts.ts';
import { isBlank, isCall, isResult, outputText } from './parts.ts';

/** Where a node came from: a message of the prompt, or one result in a tool message. */
export interface Place {
  readonly index: number;
  readonly message: LanguageModelV3Message;
  readonly result?: LanguageModelV3ToolResultPart;
}

export interface PromptPath {
  readonly path: readonly TreeNode[];
  readonly places: ReadonlyMap<NodeId, Place>;
  /** Approvals of the provider's own tools, by the reply that made the calls. Bough's rules do not apply to them. */
  readonly approvals: ReadonlyMap<NodeId, readonly ToolPart[]>;
}

export interface Makers {
  readonly originOf: (reply: AssistantPrompt, index: number) => Origin | null;
  /** Whether reasoning that cannot go back as reasoning is sent as text. */
  readonly asText: (origin: Origin | null) => boolean;
  /** Whether ids must be the same in every request. Deriving them from the content of a long history takes a while. */
  readonly stableIds: boolean;
}

/** A block that represents a part for which Bough has no block. */
export const PART_BLOCK = 'ai-sdk-part';

/**
 * A prompt as the path that Bough's rules work on. Stable ids are derived from content alone, each chained to the one
 * before: the same conversation has the same ids in every request, so that thinking which is bound to its prefix can be
 * recognised.
 */
export function pathOfPrompt(prompt: LanguageModelV3Prompt, makers: Makers): PromptPath {
  const path: TreeNode[] = [];
  const places = new Map<NodeId, Place>();
  const approvals = new Map<NodeId, ToolPart[]>();
  const add = (place: Place, content: Content): void => {
    const parent = path.at(-1)?.id ?? null;
    const { named, ...rest } = content;
    const id = makers.stableIds
      ? sha256(stableStringify([parent, content.role, content.toolCallId ?? null, named()]))
      : String(path.length);
    path.push(createNode({ ...rest, id: nodeId(id), projectId: projectId('ai-sdk'), parentId: parent, createdAt: '' }));
    places.set(nodeId(id), place);
  };
  prompt.forEach((message, index) => {
    const place = { index, message };
    switch (message.role) {
      case 'system':
        add(place, textContent('system', message.content));
        break;
      case 'user':
        add(place, userContent(message.content));
        break;
      case 'assistant':
        add(place, replyContent(message, makers.originOf(message, index), makers));
        break;
      case 'tool':
        for (const part of message.content) {
          if (isResult(part)) add({ ...place, result: part }, resultContent(part));
          else {
            const before = path.findLast(({ role }) => role === 'assistant')?.id;
            if (before !== undefined) approvals.set(before, [...(approvals.get(before) ?? []), part]);
          }
        }
    }
  });
  return { path, places, approvals };
}

type Content = Pick<TreeNode, 'role' | 'contentBlocks'> &
  Partial<Pick<TreeNode, 'toolCallId' | 'provider' | 'modelUsed' | 'madeWith' | 'includeThinkingInContext'>> & {
    /** What the id is derived from. */
    readonly named: () => unknown;
  };

function textContent(role: 'system' | 'user', text: string): Content {
  return { role, contentBlocks: [{ type: 'text', text }], named: () => text };
}

function userContent(parts: readonly UserPart[]): Content {
  const said = parts.filter((part) => !isBlank(part));
  // Bough's user messages are text: a file is only named there, and the parts themselves are sent.
  const text = said.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n');
  const named = () => said.map((part) => (part.type === 'text' ? part.text : [part.mediaType, dataText(part.data)]));
  return { ...textContent('user', text), named };
}

function replyContent(message: AssistantPrompt, origin: Origin | null, makers: Makers): Content {
  const blocks = message.content.flatMap(blocksOfPart);
  return {
    role: 'assistant',
    contentBlocks: blocks.length === 0 ? [{ type: 'text', text: '' }] : blocks,
    provider: origin?.provider ?? null,
    modelUsed: origin?.model ?? null,
    madeWith: origin?.madeWith ?? null,
    includeThinkingInContext: makers.asText(origin),
    // Without reasoning: a reply stays the same when its thinking was lost and restored.
    named: () =>
      message.content.flatMap((part, at) =>
        isBlank(part) ? [] : blocksOfPart(part, at).filter((block) => !isReasoningBlock(block)),
      ),
  };
}

function blocksOfPart(part: AssistantPart, at: number): readonly ContentBlock[] {
  const seal = sealOf(part.providerOptions);
  const signature: readonly ContentBlock[] =
    seal?.namespace === 'google' ? [{ type: 'thinking_signature', signature: seal.value }] : [];
  if (part.type === 'reasoning') return [reasoningBlock(part.text, part.providerOptions)];
  if (part.type === 'text') return [{ type: 'text', text: part.text }, ...signature];
  if (!isCall(part)) return [{ type: PART_BLOCK, at, kind: part.type }];
  const parameters = isPlainObject(part.input) ? part.input : { input: part.input };
  return [{ type: 'tool-use', id: part.toolCallId, name: part.toolName, parameters }, ...signature];
}

function resultContent(part: LanguageModelV3ToolResultPart): Content {
  const text = outputText(part.output);
  return {
    role: 'tool',
    toolCallId: part.toolCallId === '' ? 'unknown' : part.toolCallId,
    contentBlocks: [{ type: 'text', text }],
    named: () => part.output,
  };
}

/** The same file has the same text, in the forms of either version of the AI SDK: version 7 says which form it is. */
function dataText(data: LanguageModelV3DataContent): string {
  if (typeof data === 'string') return data;
  if (data instanceof URL) return data.href;
  if (data instanceof Uint8Array) return sha256(new TextDecoder('latin1').decode(data));
  const tagged: unknown = data;
  if (isPlainObject(tagged) && isData(tagged['data'])) return dataText(tagged['data']);
  if (isPlainObject(tagged) && isData(tagged['url'])) return dataText(tagged['url']);
  return stableStringify(tagged);
}

const isData = (value: unknown): value is LanguageModelV3DataContent =>
  typeof value === 'string' || value instanceof URL || value instanceof Uint8Array;
