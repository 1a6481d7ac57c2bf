import type { ContentBlock } from '@bough/core';
import { isPlainObject, isTextBlock } from '@bough/core';
import type { ForeignMessage } from './conversation.ts';
import type { Fields } from './fields.ts';
import { textOrNull } from './fields.ts';

/** How a record says that its reply is an error. */
export interface ForeignError {
  /** What went wrong, where the record keeps it apart from the reply; null where the reply itself is the sentence. */
  readonly message: string | null;
}

/**
 * Whether a record of a reply says that it is an error, in one of the ways in which chat programs say so: a flag, a
 * status, a reason for its end, or the error itself. An error that were taken for a reply would be sent to the next
 * model as something that it said.
 */
export function errorOfReply(fields: Fields): ForeignError | null {
  const message = errorText(fields['error']);
  if (message !== null) return { message };
  const isFlagged = ['error', 'isError', 'is_error'].some((name) => fields[name] === true);
  const isFailed = [fields['status'], fields['state']].some((value) => value === 'error' || value === 'failed');
  const ended = fields['finish_reason'] ?? fields['finishReason'] ?? fields['stop_reason'] ?? fields['stopReason'];
  return isFlagged || isFailed || ended === 'error' ? { message: null } : null;
}

/** The sentence of an error as programs store it: a text, or an object that holds one. */
export function errorText(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (!isPlainObject(value)) return null;
  for (const name of ['message', 'errorText', 'text', 'detail', 'error']) {
    const found = errorText(value[name]);
    if (found !== null) return found;
  }
  return textOrNull(value['code']) ?? 'Unknown error';
}

type Part = Omit<ForeignMessage, 'parentKey'>;

/**
 * The parts of a reply that failed. What came before the error is kept as an interrupted reply, with the error after
 * it; without an error of its own, the text of the last part is the error.
 */
export function failedParts(parts: readonly Part[], { message }: ForeignError, key: string): readonly Part[] {
  const last = parts.at(-1);
  if (last?.role === 'assistant' && (message === null || sameText(last.blocks, message)))
    return [...parts.slice(0, -1), { ...last, isError: true }];
  const sentence = message ?? 'Unknown error';
  const error: Part = {
    key: parts.length === 0 ? key : `${key}#error`,
    role: 'assistant',
    blocks: [{ type: 'text', text: sentence }],
    createdAt: last?.createdAt ?? null,
    provider: last?.provider ?? null,
    model: last?.model ?? null,
    isError: true,
    ...(last?.turnKey === undefined ? {} : { turnKey: last.turnKey }),
  };
  return [...parts.map((part) => (part === last && part.role === 'assistant' ? interrupted(part) : part)), error];
}

const interrupted = (part: Part): Part => ({ ...part, interrupted: true });

function sameText(blocks: readonly ContentBlock[], message: string): boolean {
  return blocks.every((block) => isTextBlock(block) && (block.text.includes(message) || message.includes(block.text)));
}
