import type { NodeView } from '@bough/api/client';
import {
  isRedactedThinkingBlock,
  isTextBlock,
  isThinkingBlock,
  isThinkingSignatureBlock,
  isToolUseBlock,
} from '@bough/core';
import type { Translator } from '../i18n/later/index.ts';
import { formatNumber } from './format.ts';
import { jsonText } from './json-text.ts';

export interface BlockLine {
  readonly type: string;
  readonly text: string;
  readonly note: string | null;
  /** Not part of the conversation that people read. */
  readonly isHidden: boolean;
}

const SHOWN = 4000;

/**
 * A block for display. Signatures and encrypted data are for their provider only: nothing but their length leaves this
 * function.
 */
export function describeBlock(block: NodeView['contentBlocks'][number], t: Translator): BlockLine {
  const { type } = block;
  const length = (text: string): string => formatNumber(text.length, t.locale);
  if (isTextBlock(block)) return { type, text: cut(block.text), note: null, isHidden: false };
  if (isThinkingBlock(block)) {
    const note = block.signature === undefined ? null : t('details.signed', { count: length(block.signature) });
    return { type, text: cut(block.thinking), note, isHidden: false };
  }
  if (isToolUseBlock(block)) return { type, text: cut(jsonText(block.parameters)), note: block.name, isHidden: false };
  if (isThinkingSignatureBlock(block))
    return { type, text: '', note: t('details.signature', { count: length(block.signature) }), isHidden: true };
  if (isRedactedThinkingBlock(block))
    return { type, text: '', note: t('details.redacted', { count: length(block.data) }), isHidden: true };
  return { type, text: cut(jsonText(withoutSecrets(block))), note: null, isHidden: true };
}

const SECRET = /signature|encrypted|^data$/i;

/** Nobody reads deeper than this, and walking it would overflow the stack. */
const MAX_DEPTH = 100;

/** A block that we do not know may carry a signature under any of the usual names, at any depth. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((inner) => withoutSecrets(inner, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      SECRET.test(key) && typeof inner === 'string' ? `(${inner.length})` : withoutSecrets(inner, depth + 1),
    ]),
  );
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
