import type { SharedV3ProviderMetadata, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Lock, MadeWith } from '@bough/core';
import { isPlainObject, nodeId, sha256, stableDeepEqual } from '@bough/core';
import { sealOf } from '../metadata/index.ts';

/** Who made a reply, and with which prefix: the AI SDK's own metadata names the provider, never the model. */
export interface Origin extends Lock {
  readonly madeWith: MadeWith | null;
}

export interface Stamp extends Origin {
  /**
   * The thoughts of the reply up to the stamped part, by their marks: shows whether they are still there and unchanged.
   */
  readonly thoughts: readonly string[];
  /** The position of the part among the thoughts, texts and calls of its reply: a missing part leaves a gap. */
  readonly at: number;
}

const NAMESPACE = 'bough';

export function withStamp(metadata: SharedV3ProviderMetadata | undefined, stamp: Stamp): SharedV3ProviderMetadata {
  const { provider, model, madeWith, thoughts, at } = stamp;
  const made = madeWith === null ? {} : { prefix: madeWith.prefix, previousThinking: madeWith.previousThinking };
  return { ...metadata, [NAMESPACE]: { provider, model, ...made, thoughts: [...thoughts], at } };
}

export function readStamp(options: SharedV3ProviderOptions | undefined): Stamp | null {
  const value: unknown = options?.[NAMESPACE];
  if (!isPlainObject(value)) return null;
  const { provider, model, prefix, previousThinking, thoughts, at } = value;
  if (typeof provider !== 'string' || typeof model !== 'string') return null;
  const previous = typeof previousThinking === 'string' ? nodeId(previousThinking) : null;
  return {
    provider,
    model,
    madeWith: typeof prefix === 'string' ? { prefix, previousThinking: previous } : null,
    thoughts: Array.isArray(thoughts) ? thoughts.filter((mark) => typeof mark === 'string') : [],
    at: typeof at === 'number' ? at : -1,
  };
}

interface StampedPart {
  readonly type: string;
  readonly text?: string;
  readonly providerOptions?: SharedV3ProviderOptions | undefined;
}

/**
 * The stamp of a reply: that of its parts, if they agree. A message put together from several replies has no known
 * maker.
 */
export function stampOf(parts: readonly StampedPart[]): Stamp | null {
  const stamps = parts.flatMap(({ providerOptions }) => readStamp(providerOptions) ?? []);
  const [first] = stamps;
  if (first === undefined) return null;
  const isOne = stamps.every(({ provider, model }) => provider === first.provider && model === first.model);
  return isOne ? stamps.reduce((most, stamp) => (stamp.thoughts.length > most.thoughts.length ? stamp : most)) : null;
}

/**
 * False if thoughts of a stamped reply were changed, lost or added since it was made: then none of them counts as its
 * own.
 */
export function thoughtsAreIntact(parts: readonly StampedPart[]): boolean {
  const stamp = stampOf(parts);
  if (stamp === null) return true;
  const found = parts
    .filter((part) => part.type === 'reasoning')
    .map(({ text = '', providerOptions }) => markOf(text, providerOptions));
  return stableDeepEqual(found, stamp.thoughts);
}

/** Identifies a thought with its signature. Short: it guards against accidents, the provider guards against forgery. */
export function markOf(text: string, metadata: SharedV3ProviderMetadata | undefined): string {
  return sha256(`${sealOf(metadata)?.value ?? ''}\n${text}`).slice(0, 12);
}
