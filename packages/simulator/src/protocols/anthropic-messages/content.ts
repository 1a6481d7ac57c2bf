import type { Reply, ReplyPart } from '../../reply.ts';
import type { World } from '../../world.ts';
import type { Claim } from './signatures.ts';
import { nameOf, sealedBlock, sign } from './signatures.ts';
import { digest } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ContentOptions {
  readonly model: string;
  readonly reply: string;
  readonly thinks: boolean;
  /** Manual mode thinks once, before it says anything. */
  readonly onlyAtTheStart: boolean;
  readonly display: 'summarized' | 'omitted';
  readonly prefix: string;
  readonly system: string;
  readonly lastThought: string | null;
}

/** The content blocks of a reply, as a complete body would carry them. */
export function contentOf({ parts }: Reply, options: ContentOptions, world: World): readonly Json[] {
  const firstWord = parts.findIndex((part) => !isThinking(part));
  const spoken = parts.filter(
    (part, at) =>
      !isThinking(part) || (options.thinks && !(options.onlyAtTheStart && firstWord >= 0 && at > firstWord)),
  );
  let previous = options.lastThought;
  let place = 0;
  return spoken.map((part) => {
    if (!isThinking(part)) return blockOf(part, world);
    const block = thoughtOf(part, { ...options, place, previous }, world);
    place += 1;
    previous = nameOf(String(block['signature'] ?? block['data']));
    return block;
  });
}

const isThinking = (part: ReplyPart) => part.type === 'thinking' || part.type === 'redacted_thinking';

function thoughtOf(
  part: ReplyPart,
  options: ContentOptions & { readonly place: number; readonly previous: string | null },
  world: World,
): Json {
  const { model, reply, place, prefix, system, previous } = options;
  const claim = { model, reply, place, prefix, system, previous };
  if (part.type !== 'thinking') {
    const redacted: Claim = { ...claim, kind: 'redacted_thinking', text: null };
    return { type: 'redacted_thinking', data: sign(redacted, world) };
  }
  const shown = options.display === 'summarized';
  const signed: Claim = { ...claim, kind: 'thinking', text: shown ? digest(part.text) : null };
  return { type: 'thinking', thinking: shown ? part.text : '', signature: sign(signed, world) };
}

function blockOf(part: ReplyPart, world: World): Json {
  switch (part.type) {
    case 'tool_call':
      return {
        type: 'tool_use',
        id: world.newId('toolu_01', 22),
        name: part.name,
        input: part.parameters,
        caller: { type: 'direct' },
      };
    case 'unknown_block':
      return sealedBlock(part.name, world);
    case 'text':
    case 'refusal':
    case 'thinking':
      return { type: 'text', text: part.text };
    case 'redacted_thinking':
      return { type: 'text', text: part.seed };
  }
}
