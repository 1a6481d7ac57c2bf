import type { UIMessage } from 'ai';
import fc from 'fast-check';
import { fromUIMessages, toUIMessages } from '../ui/index.ts';

type Part = UIMessage['parts'][number];

/** What applications do to a reply between two turns; all of them seen in the wild. */
const DAMAGES = {
  none: (parts) => parts,
  stored: (parts) => roundTrip(parts),
  'metadata lost': (parts) => parts.map(withoutMetadata),
  'reasoning lost': (parts) => parts.filter(({ type }) => type !== 'reasoning'),
  'reasoning edited': (parts) => parts.map((part) => (part.type === 'reasoning' ? { ...part, text: 'Edited.' } : part)),
  'stamps lost': (parts) => parts.map(withoutStamp),
  'text edited': (parts) => parts.map((part) => (part.type === 'text' ? { ...part, text: 'Edited.' } : part)),
  'text blanked': (parts) => parts.map((part) => (part.type === 'text' ? { ...part, text: ' \n' } : part)),
  'steps lost': (parts) => parts.filter(({ type }) => type !== 'step-start'),
  'first half': (parts) => parts.slice(0, Math.ceil(parts.length / 2)),
  'second half': (parts) => parts.slice(Math.floor(parts.length / 2)),
  'first thought lost': (parts) => parts.toSpliced(1, parts[1]?.type === 'reasoning' ? 1 : 0),
  'results lost': (parts) => parts.map(withoutResult),
  'ids changed': (parts) =>
    parts.map((part) => ('toolCallId' in part ? { ...part, toolCallId: 'functions.f:0' } : part)),
  emptied: () => [],
} satisfies Record<string, (parts: Part[]) => Part[]>;

export type Damage = keyof typeof DAMAGES;
export const anyDamage: fc.Arbitrary<Damage> = fc.constantFrom(
  'none',
  'none',
  ...Object.keys(DAMAGES).filter((name): name is Damage => name in DAMAGES),
);

export function damaged(message: UIMessage, damage: Damage): UIMessage {
  const apply: (parts: Part[]) => Part[] = DAMAGES[damage];
  return { ...message, parts: apply(message.parts) };
}

function roundTrip(parts: Part[]): Part[] {
  const nodes = fromUIMessages([{ id: 'm', role: 'assistant', parts }]);
  return toUIMessages(nodes)[0]?.parts ?? [];
}

function withoutMetadata(part: Part): Part {
  const { providerMetadata: _, callProviderMetadata: __, ...rest } = part as Record<string, unknown>;
  return rest as Part;
}

/** The provider's own metadata stays: signatures without any trace of their maker. */
function withoutStamp(part: Part): Part {
  return JSON.parse(JSON.stringify(part, (key, value: unknown) => (key === 'bough' ? undefined : value))) as Part;
}

function withoutResult(part: Part): Part {
  if (!('state' in part) || part.state !== 'output-available') return part;
  const { output: _, ...rest } = part;
  return { ...rest, state: 'input-available' } as Part;
}
