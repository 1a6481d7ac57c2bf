import type { LanguageModelV3Content, LanguageModelV3StreamPart, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import type { Origin } from './index.ts';
import { markOf, withStamp } from './index.ts';

/** Stamps the parts of a whole reply. An empty text gets none: metadata would keep it alive, and providers refuse empty texts. */
export function stampContent(content: readonly LanguageModelV3Content[], origin: Origin): LanguageModelV3Content[] {
  const thoughts: string[] = [];
  return content.map((part) => {
    if (part.type === 'reasoning') thoughts.push(markOf(part.text, part.providerMetadata));
    const isStamped =
      part.type === 'reasoning' || part.type === 'tool-call' || (part.type === 'text' && part.text !== '');
    return isStamped ? { ...part, providerMetadata: withStamp(part.providerMetadata, { ...origin, thoughts }) } : part;
  });
}

interface OpenPart {
  text: string;
  metadata: SharedV3ProviderMetadata | undefined;
}

/**
 * Stamps the parts of a stream. The AI SDK replaces the metadata of a part by whatever comes last, so that a stamp alone would
 * erase a signature: metadata is collected, and the stamp goes with all of it, at the end of a thought and with the first words
 * of a text.
 */
export function stampStream(origin: Origin): (part: LanguageModelV3StreamPart) => LanguageModelV3StreamPart {
  const open = new Map<string, OpenPart>();
  const thoughts: string[] = [];
  const stamped = (metadata: SharedV3ProviderMetadata | undefined): SharedV3ProviderMetadata =>
    withStamp(metadata, { ...origin, thoughts });
  const collect = (id: string, delta: string, metadata: SharedV3ProviderMetadata | undefined): OpenPart => {
    const before = open.get(id);
    const next = { text: (before?.text ?? '') + delta, metadata: merged(before?.metadata, metadata) };
    open.set(id, next);
    return next;
  };
  return (part) => {
    switch (part.type) {
      case 'reasoning-start':
      case 'text-start':
        open.delete(part.id);
        collect(part.id, '', part.providerMetadata);
        return part;
      case 'reasoning-delta':
        collect(part.id, part.delta, part.providerMetadata);
        return part;
      case 'reasoning-end': {
        const { text, metadata } = collect(part.id, '', part.providerMetadata);
        thoughts.push(markOf(text, metadata));
        return { ...part, providerMetadata: stamped(metadata) };
      }
      case 'text-delta':
      case 'text-end': {
        const isFirst = open.get(part.id)?.text === '';
        const { text, metadata } = collect(
          part.id,
          part.type === 'text-delta' ? part.delta : '',
          part.providerMetadata,
        );
        const says = text !== '' && (isFirst || part.providerMetadata !== undefined);
        return says ? { ...part, providerMetadata: stamped(metadata) } : part;
      }
      case 'tool-call':
        return { ...part, providerMetadata: stamped(part.providerMetadata) };
      default:
        return part;
    }
  };
}

/** Later metadata wins key by key within a provider's namespace: a signature must survive whatever comes behind it. */
function merged(
  before: SharedV3ProviderMetadata | undefined,
  next: SharedV3ProviderMetadata | undefined,
): SharedV3ProviderMetadata | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  const names = new Set([...Object.keys(before), ...Object.keys(next)]);
  return Object.fromEntries([...names].map((name) => [name, { ...before[name], ...next[name] }]));
}
