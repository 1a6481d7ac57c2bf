import type { AttachedBlock, BlobHash, Choices, ContentBlock, NodeId, StoredFile, TreeNode } from '@bough/core';
import {
  deriveTextFromBlocks,
  deriveThinkingFromBlocks,
  isAttachedBlock,
  isImageBlock,
  isKnownBlock,
  isRedactedThinkingBlock,
  isThinkingBlock,
  isThinkingSignatureBlock,
  isToolChangeBlock,
  isToolUseBlock,
} from '@bough/core';
import type { DatasetOptions, Tally } from './options.ts';

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  /** Arguments as JSON text: every model has other ones, and a column has one form. */
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly url: string } };

/** A message of OpenAI's chat API, which most programs that train models read. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Parts in every message where files are asked for, a text in every message otherwise: a column has one form. */
  readonly content: string | readonly ContentPart[];
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

/** What a node says, before its calls and results are matched with those of others. */
export interface Draft {
  readonly node: NodeId;
  readonly role: ChatMessage['role'];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly callId: string | null;
  readonly files: readonly AttachedBlock[];
  readonly toolChange: readonly ContentBlock[];
}

export const fileAt = (hash: BlobHash): string => `files/${hash}`;

/** Null where nothing of the message goes into the data. */
export function draftOf(node: TreeNode, options: DatasetOptions, choices: Choices, tally: Tally): Draft | null {
  const { id, role, contentBlocks: blocks } = node;
  if (role === 'assistant' && node.isError) {
    tally.part('error_replies', id);
    return null;
  }
  if (choices[id] === 'leave_out') {
    tally.part('left_out_by_choice', id);
    return null;
  }
  const calls = blocks.filter(isToolUseBlock);
  const files = blocks.filter(isAttachedBlock);
  countReasoning(node, options, tally);
  tally.part('provider_blocks', id, blocks.filter((block) => !isKnownBlock(block)).length);
  if (!options.tools) {
    tally.part('tool_calls', id, calls.length);
    if (role === 'tool') {
      tally.part('tool_results', id);
      return null;
    }
  }
  const kept = files.filter((file) => takesFiles(options) && (file.inThought !== true || options.reasoning !== 'none'));
  tally.part('files', id, files.length - kept.length);
  return {
    node: id,
    role,
    text: deriveTextFromBlocks(blocks),
    reasoning: options.reasoning === 'none' ? '' : deriveThinkingFromBlocks(blocks),
    calls: options.tools ? calls.map(callOf) : [],
    callId: node.toolCallId,
    files: kept,
    toolChange: blocks.filter(isToolChangeBlock),
  };
}

/** ShareGPT speaks of pictures in ways of its own that differ from program to program. */
export const takesFiles = ({ files, shape }: DatasetOptions): boolean => files && shape !== 'sharegpt';

function callOf({
  id,
  name,
  parameters,
}: Extract<ContentBlock, { type: 'tool-use' }> & {
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}): ToolCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(parameters) } };
}

/** Seals never go into the data: nobody but their issuer reads them. */
function countReasoning({ id, contentBlocks: blocks }: TreeNode, { reasoning }: DatasetOptions, tally: Tally): void {
  const thoughts = blocks.filter(isThinkingBlock);
  const readable = thoughts.filter(({ thinking }) => thinking !== '').length;
  if (reasoning === 'none') tally.part('reasoning', id, readable);
  tally.part('reasoning_hidden', id, thoughts.length - readable);
  tally.part(
    'reasoning_encrypted',
    id,
    blocks.filter((block) => isRedactedThinkingBlock(block) || isThinkingSignatureBlock(block)).length,
  );
}

/** The messages of a path. A call without a result, and a result without a call, are refused wherever models learn. */
export function messagesOf(
  drafts: readonly Draft[],
  options: DatasetOptions,
  tally: Tally,
): { readonly messages: readonly ChatMessage[]; readonly files: readonly StoredFile[] } {
  const messages: ChatMessage[] = [];
  const files: StoredFile[] = [];
  // What says nothing stands between nobody: behind it, messages of one role may follow each other again.
  for (const draft of joined(joined(matched(drafts, tally)).filter(saysSomething))) {
    messages.push(messageOf(draft, options));
    files.push(...draft.files.map(({ file }) => file));
  }
  return { messages, files };
}

const saysSomething = ({ role, text, calls, files }: Draft): boolean =>
  role === 'tool' || text !== '' || calls.length > 0 || files.length > 0;

function messageOf(draft: Draft, options: DatasetOptions): ChatMessage {
  const { role, text, reasoning, calls, callId, files } = draft;
  const isThought = reasoning !== '' && options.reasoning === 'think';
  const whole = isThought ? `<think>\n${reasoning}\n</think>\n\n${text}` : text;
  return {
    role,
    content: takesFiles(options) ? partsOf(whole, files) : whole,
    ...(reasoning !== '' && options.reasoning === 'field' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(role === 'tool' && { tool_call_id: callId ?? '' }),
  };
}

function partsOf(text: string, files: readonly AttachedBlock[]): readonly ContentPart[] {
  return [
    ...files.map((block): ContentPart => {
      const url = fileAt(block.file.hash);
      return isImageBlock(block)
        ? { type: 'image_url', image_url: { url } }
        : { type: 'file', file: { filename: block.name, url } };
    }),
    ...(text === '' && files.length > 0 ? [] : [{ type: 'text' as const, text }]),
  ];
}

/**
 * People and models take turns wherever models learn. What a person said in several messages (a question that nobody
 * could answer, what was brought from another branch, the canvas) is one, as it was in the request; so is what a model
 * said before and after its tools, where those are left out.
 */
function joined(drafts: readonly Draft[]): readonly Draft[] {
  const found: Draft[] = [];
  for (const draft of drafts) {
    const last = found.at(-1);
    const isSpoken = draft.role === 'user' || draft.role === 'assistant';
    if (last === undefined || !isSpoken || last.role !== draft.role || last.calls.length > 0) {
      found.push(draft);
      continue;
    }
    found[found.length - 1] = {
      ...draft,
      text: paragraphs(last.text, draft.text),
      reasoning: paragraphs(last.reasoning, draft.reasoning),
      files: [...last.files, ...draft.files],
    };
  }
  return found;
}

const paragraphs = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');

function matched(drafts: readonly Draft[], tally: Tally): readonly Draft[] {
  const found: Draft[] = [];
  for (let at = 0; at < drafts.length; at += 1) {
    const draft = drafts[at];
    if (draft === undefined) break;
    if (draft.role === 'tool') {
      tally.part('tool_results_without_call', draft.node);
      continue;
    }
    const asked = new Set(draft.calls.map(({ id }) => id));
    const results: Draft[] = [];
    for (let next = drafts[at + 1]; draft.calls.length > 0 && next?.role === 'tool'; next = drafts[at + 1]) {
      at += 1;
      if (next.callId !== null && asked.delete(next.callId)) results.push(next);
      else tally.part('tool_results_without_call', next.node);
    }
    tally.part('tool_calls_without_result', draft.node, asked.size);
    found.push({ ...draft, calls: draft.calls.filter(({ id }) => !asked.has(id)) }, ...results);
  }
  return found;
}
