import type {
  LanguageModelV3Content,
  LanguageModelV3StreamPart,
  SharedV3ProviderMetadata,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { Lock, MadeWith } from '@bough/core';
import { isPlainObject, nodeId } from '@bough/core';

/** Who made a reply, and behind what: the AI SDK's own metadata names the provider, never the model. */
export interface Stamp extends Lock {
  readonly madeWith: MadeWith | null;
}

const NAMESPACE = 'bough';

export function withStamp(metadata: SharedV3ProviderMetadata | undefined, stamp: Stamp): SharedV3ProviderMetadata {
  const { provider, model, madeWith } = stamp;
  const made = madeWith === null ? {} : { prefix: madeWith.prefix, previousThinking: madeWith.previousThinking };
  return { ...metadata, [NAMESPACE]: { provider, model, ...made } };
}

export function readStamp(options: SharedV3ProviderOptions | undefined): Stamp | null {
  const value: unknown = options?.[NAMESPACE];
  if (!isPlainObject(value)) return null;
  const { provider, model, prefix, previousThinking } = value;
  if (typeof provider !== 'string' || typeof model !== 'string') return null;
  const previous = typeof previousThinking === 'string' ? nodeId(previousThinking) : null;
  return { provider, model, madeWith: typeof prefix === 'string' ? { prefix, previousThinking: previous } : null };
}

/** The stamp of a reply: that of its parts, where they agree. A message put together from several replies is nobody's. */
export function stampOf(
  parts: readonly { readonly providerOptions?: SharedV3ProviderOptions | undefined }[],
): Stamp | null {
  const stamps = parts.flatMap(({ providerOptions }) => readStamp(providerOptions) ?? []);
  const [first] = stamps;
  if (first === undefined) return null;
  return stamps.every(({ provider, model }) => provider === first.provider && model === first.model) ? first : null;
}

export function stampContent(content: readonly LanguageModelV3Content[], stamp: Stamp): LanguageModelV3Content[] {
  return content.map((part) => {
    switch (part.type) {
      case 'reasoning':
      case 'tool-call':
        return { ...part, providerMetadata: withStamp(part.providerMetadata, stamp) };
      case 'text':
        return part.text === '' ? part : { ...part, providerMetadata: withStamp(part.providerMetadata, stamp) };
      default:
        return part;
    }
  });
}

/**
 * Stamps the parts of a stream. The AI SDK replaces the metadata of a part by whatever comes last, so that a stamp alone would
 * erase a signature: it is added to metadata that is there, and stands alone only where nothing came before it.
 */
export function stampStream(stamp: Stamp): (part: LanguageModelV3StreamPart) => LanguageModelV3StreamPart {
  const silent = new Map<string, SharedV3ProviderMetadata | undefined>();
  return (part) => {
    switch (part.type) {
      case 'reasoning-start':
      case 'tool-call':
        return { ...part, providerMetadata: withStamp(part.providerMetadata, stamp) };
      case 'text-start':
        // A text that stays empty gets no stamp: metadata would keep it alive, and providers refuse empty texts.
        silent.set(part.id, part.providerMetadata);
        return part;
      case 'text-delta': {
        if (part.delta === '' || !silent.has(part.id)) return withStampBeside(part, stamp);
        const before = silent.get(part.id);
        silent.delete(part.id);
        return { ...part, providerMetadata: withStamp({ ...before, ...part.providerMetadata }, stamp) };
      }
      case 'reasoning-delta':
      case 'reasoning-end':
      case 'text-end':
        return withStampBeside(part, stamp);
      default:
        return part;
    }
  };
}

function withStampBeside<Part extends { providerMetadata?: SharedV3ProviderMetadata }>(part: Part, stamp: Stamp): Part {
  if (part.providerMetadata === undefined) return part;
  return { ...part, providerMetadata: withStamp(part.providerMetadata, stamp) };
}
