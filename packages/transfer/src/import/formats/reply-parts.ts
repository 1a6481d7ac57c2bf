import type { ContentBlock, Role } from '@bough/core';
import type { ForeignError } from '../error-reply.ts';
import { failedParts } from '../error-reply.ts';
import type { ForeignPart } from '../tree.ts';
import { splitResults } from './anthropic-blocks.ts';

/** What a record of a message says besides its blocks. */
export interface MessageFacts {
  readonly key: string;
  readonly role: Role;
  readonly createdAt: string | null;
  readonly provider?: string | null;
  readonly model?: string | null;
  /** Why it is an error, and no reply. */
  readonly error?: ForeignError | null;
  /** It was stopped before it was whole. */
  readonly interrupted?: boolean;
}

/**
 * The nodes of one record: its blocks in their order, with the results of tools as messages of their own. A record that
 * holds nothing becomes none, except where a person sent it.
 */
export function partsFrom(facts: MessageFacts, given: readonly ContentBlock[]): readonly ForeignPart[] {
  const { key, role, createdAt, provider = null, model = null, error = null, interrupted = false } = facts;
  const isEmpty = given.length === 0 && role === 'user';
  const parts = splitResults(isEmpty ? [{ type: 'text', text: '' }] : given, role).map((part, index): ForeignPart => ({
    key: index === 0 ? key : `${key}#${index}`,
    createdAt,
    ...(part.role === 'assistant' ? { provider, model } : {}),
    ...part,
  }));
  if (error !== null)
    return failedParts(parts, error, key).map((part) =>
      part.role === 'assistant' ? { ...part, createdAt, provider, model } : { ...part, createdAt },
    );
  const last = parts.at(-1);
  if (!interrupted || last?.role !== 'assistant') return parts;
  return [...parts.slice(0, -1), { ...last, interrupted: true }];
}

/** The vendors whose models other programs name in their own ways; what is unknown stays as it is called. */
export function providerOf(name: string | null): string | null {
  if (name === null || name === '') return null;
  const known = PROVIDERS.find(([pattern]) => pattern.test(name));
  return known === undefined ? name : known[1];
}

const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^open-?ai$/i, 'openai'],
  [/^(?:anthropic|claude)$/i, 'anthropic'],
  [/^(?:google|gemini|makersuite)$/i, 'gemini'],
  [/^deepseek$/i, 'deepseek'],
  [/^openrouter$/i, 'openrouter'],
];
