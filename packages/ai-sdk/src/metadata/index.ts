import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';

/** The names under which the AI SDK's providers keep what only they understand. */
export type Namespace = 'anthropic' | 'openai' | 'google';

/** What makes reasoning the provider's own: without it, or changed in any way, it is text like any other. */
export interface Seal {
  readonly namespace: Namespace;
  readonly kind: 'signature' | 'redacted';
  readonly value: string;
}

const SEALS = [
  ['anthropic', 'redactedData', 'redacted'],
  ['anthropic', 'signature', 'signature'],
  ['openai', 'reasoningEncryptedContent', 'signature'],
  ['google', 'thoughtSignature', 'signature'],
] as const;

/**
 * Provider metadata of a reply and provider options of a prompt are the same data, on the way out and on the way back.
 */
export function sealOf(metadata: unknown): Seal | null {
  for (const [namespace, key, kind] of SEALS) {
    const value = textAt(metadata, namespace, key);
    if (value !== null && value !== '') return { namespace, kind, value };
  }
  return null;
}

/** The metadata that `sealOf` reads. */
export function sealMetadata({ namespace, kind, value }: Seal): Record<string, Record<string, string>> {
  const key = SEALS.find((seal) => seal[0] === namespace && seal[2] === kind)?.[1];
  return key === undefined ? {} : { [namespace]: { [key]: value } };
}

/** Which provider made this part, as far as its metadata says. */
export function namespaceOf(metadata: unknown): Namespace | null {
  if (!isPlainObject(metadata)) return null;
  return (['anthropic', 'openai', 'google'] as const).find((name) => isPlainObject(metadata[name])) ?? null;
}

/**
 * Reasoning in Bough's form. Claude signs thoughts whose text it withholds; the others seal a part that has no text.
 */
export function reasoningBlock(text: string, metadata: unknown): ContentBlock {
  const seal = sealOf(metadata);
  if (seal === null) return { type: 'thinking', thinking: text };
  if (seal.kind === 'redacted') return { type: 'redacted_thinking', data: seal.value };
  return text === '' && seal.namespace !== 'anthropic'
    ? { type: 'thinking_signature', signature: seal.value }
    : { type: 'thinking', thinking: text, signature: seal.value };
}

export function textAt(metadata: unknown, namespace: string, key: string): string | null {
  const own = isPlainObject(metadata) ? metadata[namespace] : undefined;
  const value = isPlainObject(own) ? own[key] : undefined;
  return typeof value === 'string' ? value : null;
}
