import type { ProtocolId } from '@bough/core';
import { isPlainObject, stableStringify } from '@bough/core';
import { GEMINI_SENTINELS } from '@bough/providers';
import type { Json } from '../dialects/json.ts';
import { objectsOf } from '../dialects/json.ts';

/**
 * What of a reply must come back exactly, in order: what it said, its calls with their ids, and the seals of its
 * reasoning. What clients may leave out or change without harm is not among it: cache marks, summaries of encrypted
 * reasoning, ids of items, unsigned thoughts of Gemini.
 */
export function vitalsOf(protocol: ProtocolId, elements: readonly unknown[]): readonly string[] {
  return joined(elements.filter(isPlainObject).flatMap((element) => VITALS[protocol](element)));
}

/** The seals among them. */
export function sealsIn(vitals: readonly string[]): readonly string[] {
  return vitals.filter((vital) => vital.startsWith('["seal"')).map((vital) => (JSON.parse(vital) as Vital)[1] ?? '');
}

/** One thing that counts: its kind, and what it says. */
type Vital = readonly [kind: string, ...said: readonly string[]];

const VITALS: Readonly<Record<ProtocolId, (element: Json) => readonly Vital[]>> = {
  'anthropic-messages': ({ content }) =>
    typeof content === 'string' ? said(content) : objectsOf(content).flatMap(ofBlock),
  'openai-responses': ofItem,
  'openai-chat': ofChatMessage,
  gemini: ({ parts }) => objectsOf(parts).flatMap(ofPart),
};

function ofBlock(block: Json): readonly Vital[] {
  switch (block['type']) {
    case 'text':
      return said(block['text']);
    case 'thinking':
      return [['seal', text(block['signature']), text(block['thinking'])]];
    case 'redacted_thinking':
      return [['seal', text(block['data'])]];
    case 'tool_use':
      return [['call', text(block['id']), text(block['name']), stableStringify(block['input'])]];
    default: {
      const { cache_control: _, citations: __, ...rest } = block;
      return [['other', stableStringify(rest)]];
    }
  }
}

function ofItem(item: Json): readonly Vital[] {
  switch (item['type']) {
    case 'reasoning': {
      const seal = text(item['encrypted_content']);
      return seal === '' ? [] : [['seal', seal]];
    }
    case 'function_call':
      return [['call', text(item['call_id']), text(item['name']), parsed(item['arguments'])]];
    case 'custom_tool_call':
      return [['call', text(item['call_id']), text(item['name']), text(item['input'])]];
    case 'message':
    case undefined:
      return typeof item['content'] === 'string'
        ? said(item['content'])
        : objectsOf(item['content']).flatMap((part) => said(part['text'] ?? part['refusal']));
    default:
      return [];
  }
}

function ofChatMessage(message: Json): readonly Vital[] {
  const thought = text(message['reasoning_content'] ?? message['reasoning']);
  const content: unknown = message['content'];
  return [
    // A blank stands in for a thought where a server demands one.
    ...(thought.trim() === '' ? [] : [['thought', thought] as const]),
    ...objectsOf(message['reasoning_details']).map((detail): Vital => ['seal', stableStringify(detail)]),
    ...(typeof content === 'string'
      ? said(content)
      : objectsOf(content).flatMap((part) =>
          part['type'] === 'thinking' ? [['thought', stableStringify(part)] as const] : said(part['text']),
        )),
    ...objectsOf(message['tool_calls']).map((call): Vital => {
      const { name, arguments: given } = isPlainObject(call['function']) ? call['function'] : {};
      return ['call', text(call['id']), text(name), parsed(given), text(sealOfChatCall(call))];
    }),
  ];
}

/** Gemini behind the chat protocol signs its calls here. */
function sealOfChatCall({ extra_content: extra }: Json): unknown {
  const google = isPlainObject(extra) ? extra['google'] : undefined;
  return isPlainObject(google) ? google['thought_signature'] : undefined;
}

/**
 * Ids of calls are the client's own where the server gives none. A signature counts wherever it is; what Google
 * documents for a call without one is none, and Gemini CLI puts it on every such call.
 */
function ofPart(part: Json): readonly Vital[] {
  const { functionCall: call, thoughtSignature } = part;
  const seal = text(thoughtSignature);
  const sealed: readonly Vital[] = seal === '' || GEMINI_SENTINELS.has(seal) ? [] : [['seal', seal]];
  if (isPlainObject(call)) return [['call', text(call['name']), stableStringify(call['args'] ?? {})], ...sealed];
  return part['thought'] === true ? sealed : [...said(part['text']), ...sealed];
}

const said = (value: unknown): readonly Vital[] => (text(value).trim() === '' ? [] : [['text', text(value)]]);

/** Neighbouring texts are one: a stream cuts them anywhere. */
function joined(vitals: readonly Vital[]): readonly string[] {
  const list: Vital[] = [];
  for (const vital of vitals) {
    const last = list.at(-1);
    if (vital[0] === 'text' && last?.[0] === 'text') list[list.length - 1] = ['text', `${last[1]}${vital[1]}`];
    else list.push(vital);
  }
  return list.map((vital) => JSON.stringify(vital));
}

/** Arguments that are the same value are the same, however they are spelled. */
function parsed(json: unknown): string {
  try {
    return stableStringify(JSON.parse(text(json)));
  } catch {
    return text(json);
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
