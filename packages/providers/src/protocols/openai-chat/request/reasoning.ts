import type { Quirks } from '../traits.ts';
import type { WireReply } from '../response/reply.ts';
import { splitThinkTags } from '../response/think-tags.ts';
import type { AssistantWire, TextPart, ThinkingPart } from '../schema.ts';

type Fields = Pick<AssistantWire, 'reasoning_content' | 'reasoning' | 'reasoning_details'>;

/**
 * The reasoning of a reply in the place where its server takes it back; `content` if that place is the content itself.
 */
export interface KeptReasoning {
  readonly fields: Fields;
  readonly content?: string | readonly (ThinkingPart | TextPart)[];
}

export function hasReasoning(reply: WireReply): boolean {
  return (
    reply.reasoning !== '' ||
    reply.details.length > 0 ||
    reply.runs.some((run) => run.kind === 'thinking') ||
    splitThinkTags(reply.content).thinking !== null
  );
}

/** The text of a reply, without any reasoning embedded in it. */
export function plainText(reply: WireReply): string {
  const apart = reply.reasoning !== '' || reply.details.length > 0 || reply.runs.some((run) => run.kind === 'thinking');
  const text = apart ? reply.content : splitThinkTags(reply.content).text;
  return withRefusal(text, reply.refusal);
}

/** A refusal is something that the model said: if there is no field for it, it is sent back as text. */
export function withRefusal(text: string, refusal: string): string {
  return [text, refusal].filter((part) => part !== '').join('\n\n');
}

/** Null if nothing may be sent back: there was none, or it broke off. */
export function keepReasoning(reply: WireReply, quirks: Quirks): KeptReasoning | null {
  if (!quirks.takesReasoning || !(reply.complete || reply.reasoningEnded)) return null;
  switch (quirks.reasoning) {
    case 'none':
      return null;
    case 'reasoning_content':
      return reply.reasoning === '' && !reply.hasReasoning ? null : { fields: { reasoning_content: reply.reasoning } };
    case 'reasoning':
      return reply.reasoning === '' ? null : { fields: { reasoning: reply.reasoning } };
    case 'reasoning_details':
      // A list that broke off may lack a signature, and the whole conversation would be refused from then on.
      return reply.complete && reply.details.length > 0 ? { fields: { reasoning_details: reply.details } } : null;
    case 'think_tags':
      return splitThinkTags(reply.content).thinking === null ? null : { fields: {}, content: reply.content };
    case 'thinking_chunks':
      return thinkingChunks(reply);
  }
}

/**
 * Mistral refuses a message whose thinking is in several parts: reasoning is sent back only for a reply with a single
 * thought.
 */
function thinkingChunks(reply: WireReply): KeptReasoning | null {
  if (reply.runs.filter((run) => run.kind === 'thinking').length !== 1) return null;
  return {
    fields: {},
    content: reply.runs.map((run) =>
      run.kind === 'text'
        ? { type: 'text', text: run.text }
        : {
            type: 'thinking',
            thinking: [{ type: 'text', text: run.text }],
            ...(run.signature !== null && { signature: run.signature }),
          },
    ),
  };
}
