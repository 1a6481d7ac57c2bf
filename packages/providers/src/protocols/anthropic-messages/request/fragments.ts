import type { ContentBlock } from '@bough/core';
import { isAttachedBlock, isReasoningBlock, isTextBlock, isToolUseBlock } from '@bough/core';
import type { RenderNote } from '../../../protocol.ts';
import { withoutLoneSurrogates } from '../../../render/json-text.ts';
import { fileFragment } from './files.ts';
import { plainName } from './tool-ids.ts';

/** A note before it is known which node it is about. */
export type Note = Pick<RenderNote, 'reason' | 'detail'>;

/** A thought that is sent: what the provider recognises it by, and its readable part. */
export interface Thought {
  readonly token: string;
  readonly text: string;
}

/** One content block as JSON text. */
export interface SentBlock {
  readonly text: string;
  readonly thought: Thought | null;
}

export const said = (text: string): SentBlock => ({ text, thought: null });

export const REPLACED: Note = { reason: 'repaired', detail: 'Half of a character was replaced by U+FFFD.' };

/** JSON of one content block, in one fixed order of keys. */
export function textFragment(text: string): string {
  return withoutLoneSurrogates(JSON.stringify({ type: 'text', text }));
}

/** Text blocks unchanged, without the blank ones: the API refuses those. */
export function textFragments(blocks: readonly ContentBlock[]): string[] {
  return contentFragments(blocks.filter(isTextBlock));
}

/** The same with the files between them. */
export function contentFragments(blocks: readonly ContentBlock[]): string[] {
  return blocks.flatMap((block) => {
    if (isTextBlock(block)) return block.text.trim() === '' ? [] : [textFragment(block.text)];
    return isAttachedBlock(block) ? [fileFragment(block)] : [];
  });
}

/** Replaces the output of a tool that said nothing: an empty result is refused, or read as a missing one. */
const NO_OUTPUT = '(no output)';

export function resultFragment(wireId: string, content: readonly ContentBlock[], isError: boolean): string {
  const texts = contentFragments(content);
  const parts = texts.length === 0 ? [textFragment(NO_OUTPUT)] : texts;
  const error = isError ? ',"is_error":true' : '';
  return `{"type":"tool_result","tool_use_id":${JSON.stringify(wireId)},"content":[${parts.join(',')}]${error}}`;
}

/**
 * A reply of which only the neutral blocks are known: its text, then its calls. Its reasoning has no signature, so it
 * is left out.
 */
export function canonicalReply(
  blocks: readonly ContentBlock[],
  wireId: (callId: string) => string | null,
): { readonly fragments: readonly string[]; readonly notes: readonly Note[] } {
  const notes: Note[] = [];
  const calls = blocks.filter(isToolUseBlock).flatMap((block, at, all) => {
    const id = wireId(block.id);
    if (id === null || all.findIndex((other) => other.id === block.id) < at) return [];
    if (id !== block.id) notes.push({ reason: 'tool_id_rewritten', detail: `The call ${block.id} is sent as ${id}.` });
    const call = { type: 'tool_use', id, name: plainName(block.name), input: block.parameters };
    return [withoutLoneSurrogates(JSON.stringify(call))];
  });
  if (blocks.some(isReasoningBlock)) {
    notes.push({ reason: 'thinking_not_replayable', detail: 'Thinking without its original reply is not sent.' });
  }
  const custom = blocks.filter((block) => !isTextBlock(block) && !isToolUseBlock(block) && !isReasoningBlock(block));
  for (const { type } of custom)
    notes.push({ reason: 'custom_block_not_sent', detail: `A ${type} block is not sent.` });
  return { fragments: [...textFragments(blocks), ...calls], notes };
}
