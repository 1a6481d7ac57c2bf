import type { Reply, ReplyPart } from '../../reply.ts';
import type { World } from '../../world.ts';
import { callItem } from './calls.ts';
import { followerOf } from './memory.ts';
import { seal } from './seal.ts';
import type { OfferedTool } from './tools.ts';
import type { Json } from './wire.ts';
import { kindOf, records, text } from './wire.ts';

export interface OutputOptions {
  readonly model: string;
  /** The request asked for summaries, and the model gives them. */
  readonly summaries: boolean;
  readonly phases: boolean;
  /** By name. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** The program that makes the calls of this reply, if one does. */
  readonly program: Json | null;
  /** What the provider's own tools did, before the first word and before the calls. */
  readonly hosted: readonly Json[];
  readonly searched: readonly Json[];
}

/** The planned reply as output items. Adjacent thoughts are the summaries of one item. */
export function outputOf({ parts, stop }: Reply, options: OutputOptions, world: World): readonly Json[] {
  const lastText = parts.findLastIndex((part) => part.type === 'text' || part.type === 'refusal');
  const calls = parts.some((part) => part.type === 'tool_call');
  const drafts: Json[] = [];
  const firstWord = parts.findIndex(({ type }) => !type.endsWith('thinking'));
  const firstCall = parts.findIndex(({ type }) => type === 'tool_call');
  for (const [at, part] of parts.entries()) {
    const previous = parts[at - 1];
    if (at === firstWord) drafts.push(...options.hosted);
    if (at === firstCall) drafts.push(...options.searched, ...(options.program === null ? [] : [options.program]));
    const open = drafts.at(-1);
    if (part.type === 'thinking' && previous?.type === 'thinking' && open !== undefined) {
      drafts[drafts.length - 1] = { ...open, summary: [...summariesIn(open), ...summaryOf(part, options)] };
    } else {
      const final = at === lastText && !calls;
      const cut = stop === 'max_tokens' && at === parts.length - 1;
      drafts.push(itemOf(part, options, { final, cut }, world));
    }
  }
  return citing(drafts).map((item, at, all) => sealed(item, all, at, options, world));
}

/** The first message behind a search says where its words come from. */
function citing(items: readonly Json[]): readonly Json[] {
  const search = items.findIndex((item) => kindOf(item) === 'web_search_call');
  const at = search < 0 ? -1 : items.findIndex((item, place) => place > search && kindOf(item) === 'message');
  return items.map((item, place) => (place === at ? { ...item, content: citedParts(item['content']) } : item));
}

function citedParts(content: unknown): readonly Json[] {
  return records(content).map((part) => {
    if (part['type'] !== 'output_text') return part;
    const end_index = Array.from(text(part['text'])).length;
    const source = { type: 'url_citation', url: 'https://example.com/trees', title: 'Trees' };
    return { ...part, annotations: [{ ...source, start_index: 0, end_index }] };
  });
}

function itemOf(
  part: ReplyPart,
  options: OutputOptions,
  { final, cut }: { readonly final: boolean; readonly cut: boolean },
  world: World,
): Json {
  switch (part.type) {
    case 'thinking':
    case 'redacted_thinking':
      return { id: world.newId('rs_', 48), type: 'reasoning', summary: summaryOf(part, options) };
    case 'text':
    case 'refusal':
      return {
        id: world.newId('msg_', 48),
        type: 'message',
        status: cut ? 'incomplete' : 'completed',
        role: 'assistant',
        ...(options.phases && { phase: final ? 'final_answer' : 'commentary' }),
        content: [
          part.type === 'text'
            ? { type: 'output_text', annotations: [], logprobs: [], text: part.text }
            : { type: 'refusal', refusal: part.text },
        ],
      };
    case 'tool_call': {
      const caller =
        options.program === null ? {} : { caller: { type: 'program', caller_id: options.program['call_id'] } };
      return callItem(part, options.tools.get(part.name), caller, world);
    }
    case 'unknown_block': {
      const id = world.newId('item_', 48);
      // Carries its own proof: after a restart nothing remembers that there ever was such a type.
      const proof = seal(world, { model: options.model, id, follower: '', followerKind: '' });
      return { id, type: part.name, status: 'completed', payload: { of: 'tomorrow' }, proof };
    }
  }
}

function summaryOf(part: ReplyPart, { summaries }: OutputOptions): readonly Json[] {
  return part.type === 'thinking' && summaries ? [{ type: 'summary_text', text: part.text }] : [];
}

function summariesIn(item: Json): readonly unknown[] {
  return Array.isArray(item['summary']) ? item['summary'] : [];
}

/** The seal names what comes after the reasoning, so it is set once everything has its id. */
function sealed(item: Json, all: readonly Json[], at: number, options: OutputOptions, world: World): Json {
  if (kindOf(item) !== 'reasoning') return item;
  const follower = followerOf(all, at) ?? {};
  const facts = {
    model: options.model,
    id: text(item['id']),
    follower: text(follower['id']),
    followerKind: kindOf(follower),
  };
  return { ...item, encrypted_content: seal(world, facts) };
}
