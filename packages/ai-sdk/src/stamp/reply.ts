import type { LanguageModelV3Content, LanguageModelV3StreamPart, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import type { Origin } from './index.ts';
import { markOf, withStamp } from './index.ts';

/**
 * Stamps the parts of a whole reply. An empty text gets no stamp: metadata would keep it alive, and providers refuse
 * empty texts.
 */
export function stampContent(content: readonly LanguageModelV3Content[], origin: Origin): LanguageModelV3Content[] {
  const thoughts: string[] = [];
  let next = 0;
  return content.map((part) => {
    if (part.type !== 'reasoning' && part.type !== 'text' && part.type !== 'tool-call') return part;
    const at = next;
    next += 1;
    if (part.type === 'text' && part.text === '') return part;
    if (part.type === 'reasoning') thoughts.push(markOf(part.text, part.providerMetadata));
    return { ...part, providerMetadata: withStamp(part.providerMetadata, { ...origin, thoughts, at }) };
  });
}

interface OpenPart {
  readonly at: number;
  readonly text: string;
  readonly metadata: SharedV3ProviderMetadata | undefined;
}

/**
 * Stamps the parts of a stream. The AI SDK replaces the metadata of a part with whatever comes last, so a stamp alone
 * would erase a signature: metadata is collected, and the stamp is sent with all of it, at the end of a thought and
 * with the first words of a text.
 */
export function stampStream(origin: Origin): (part: LanguageModelV3StreamPart) => LanguageModelV3StreamPart {
  const open = new Map<string, OpenPart>();
  const thoughts: string[] = [];
  let next = 0;
  const place = (): number => {
    next += 1;
    return next - 1;
  };
  const stamped = ({ metadata, at }: Omit<OpenPart, 'text'>): SharedV3ProviderMetadata =>
    withStamp(metadata, { ...origin, thoughts, at });
  const collect = (id: string, delta: string, metadata: SharedV3ProviderMetadata | undefined): OpenPart => {
    const before = open.get(id);
    const text = (before?.text ?? '') + delta;
    const part = { at: before?.at ?? place(), text, metadata: merged(before?.metadata, metadata) };
    open.set(id, part);
    return part;
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
        const thought = collect(part.id, '', part.providerMetadata);
        thoughts.push(markOf(thought.text, thought.metadata));
        return { ...part, providerMetadata: stamped(thought) };
      }
      case 'text-delta':
      case 'text-end': {
        const isFirst = open.get(part.id)?.text === '';
        const said = collect(part.id, part.type === 'text-delta' ? part.delta : '', part.providerMetadata);
        const isStamped = said.text !== '' && (isFirst || part.providerMetadata !== undefined);
        return isStamped ? { ...part, providerMetadata: stamped(said) } : part;
      }
      case 'tool-call':
        return { ...part, providerMetadata: stamped({ metadata: part.providerMetadata, at: place() }) };
      default:
        return part;
    }
  };
}

/** Later metadata wins key by key within a provider's namespace: a signature must survive whatever comes after it. */
function merged(
  before: SharedV3ProviderMetadata | undefined,
  next: SharedV3ProviderMetadata | undefined,
): SharedV3ProviderMetadata | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  const names = new Set([...Object.keys(before), ...Object.keys(next)]);
  return Object.fromEntries([...names].map((name) => [name, { ...before[name], ...next[name] }]));
}
