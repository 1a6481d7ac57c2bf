import type { NodeId, ProtocolId, RawResponse, Repair } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { ClientBody } from '../dialect.ts';
import type { Json } from '../dialects/json.ts';
import { objectsOf } from '../dialects/json.ts';
import { elementsOfMessages, isReplyMessage } from './elements.ts';
import { verbatim } from './verbatim.ts';
import { sealsIn, vitalsOf } from './vitals.ts';

export interface Restoration {
  readonly body: ClientBody;
  readonly provider: Provider;
  /** The stored reply that a message of the assistant repeats, if it was recognised. */
  readonly nodeOf: (message: number) => NodeId | null;
  readonly rawOf: (node: NodeId) => RawResponse | undefined;
}

export interface Restored {
  /** The whole list, with the replies that the client damaged as they were made. */
  readonly list: readonly unknown[];
  readonly repairs: readonly Repair[];
}

/**
 * Puts back what the client lost of the replies that it repeats. A reply of which something that counts is missing,
 * changed or out of order goes back as it was made, whole: its parts were signed together. If the client had renamed
 * its calls, their results are renamed with it.
 */
export function restored({ body, provider, nodeOf, rawOf }: Restoration): Restored {
  const { protocol, model, tools } = body;
  const list: unknown[] = [];
  const repairs: Repair[] = [];
  const original = new Map<string, string>();
  const elements = elementsOfMessages(body);
  for (const [at, message] of body.messages.entries()) {
    const said = elements[at] ?? [];
    const path = `${list.length}`;
    if (!isReplyMessage(message)) {
      list.push(...said.map((element) => withOriginalIds(protocol, element, original)));
      continue;
    }
    const node = nodeOf(at);
    const raw = node === null ? undefined : rawOf(node);
    const isRepeated = raw !== undefined && repeats(body, said, raw, provider);
    const made = raw !== undefined && isRepeated ? verbatim({ raw, provider, model, tools }) : null;
    const lost = made === null ? null : difference(vitalsOf(protocol, said), vitalsOf(protocol, made));
    if (made === null || lost === null) {
      list.push(...said);
      continue;
    }
    const back = protocol === 'gemini' ? withTheirIds(said, made) : made;
    for (const [theirs, ours] of renamed(protocol, said, back)) original.set(theirs, ours);
    list.push(...withMarks(said, back));
    repairs.push({ rule: 'restored', at: path, what: lost });
  }
  return { list, repairs };
}

/**
 * Whether a client's message is this reply. A model asked twice may say the same twice, under other seals: then the
 * client has the other one, and nothing is lost.
 */
function repeats(
  { protocol, tools }: ClientBody,
  said: readonly unknown[],
  raw: RawResponse,
  provider: Provider,
): boolean {
  const seals = sealsIn(vitalsOf(protocol, said));
  if (seals.length === 0) return true;
  const own = new Set(sealsIn(vitalsOf(protocol, verbatim({ raw, provider, model: raw.model, tools }) ?? [])));
  return seals.every((seal) => seal === '' || own.has(seal));
}

/** What is different, in words; null if nothing that counts is. */
function difference(said: readonly string[], made: readonly string[]): string | null {
  if (said.length === made.length && said.every((vital, at) => vital === made[at])) return null;
  const kinds = (list: readonly string[], kind: string): number =>
    list.filter((vital) => vital.startsWith(`["${kind}"`)).length;
  const missing = (kind: string): number => kinds(made, kind) - kinds(said, kind);
  if (missing('seal') > 0 || missing('thought') > 0) return 'The reasoning that the client had left out is back.';
  if (missing('seal') < 0) return 'Reasoning that this model did not make is left out.';
  if (missing('call') !== 0) return 'The calls of this reply are those that were made.';
  if (missing('other') !== 0) return 'What the provider ran itself is back.';
  const isReordered = said.toSorted().join('\n') === made.toSorted().join('\n');
  return isReordered ? 'The parts of this reply are in their order again.' : 'This reply is as it was made again.';
}

/** The client's ids of calls, with those under which the calls were made. */
function renamed(
  protocol: ProtocolId,
  said: readonly unknown[],
  made: readonly unknown[],
): readonly (readonly [string, string])[] {
  const theirs = callIds(protocol, said);
  const ours = callIds(protocol, made);
  if (theirs.length !== ours.length) return [];
  return theirs.flatMap((id, at) => {
    const own = ours[at] ?? '';
    return id === '' || own === '' || id === own ? [] : [[id, own] as const];
  });
}

/** Where the server gave a call no id, the client's own stays: its result names it. */
function withTheirIds(said: readonly unknown[], made: readonly unknown[]): readonly unknown[] {
  const theirs = callIds('gemini', said);
  if (theirs.length !== callIds('gemini', made).length) return made;
  let calls = 0;
  const withId = (part: Json): Json => {
    const { functionCall: call } = part;
    if (!isPlainObject(call)) return part;
    const id = theirs[calls] ?? '';
    calls += 1;
    return id === '' || call['id'] !== undefined ? part : { ...part, functionCall: { ...call, id } };
  };
  return made.map((element) => (isPlainObject(element) ? mapped(element, 'parts', withId) : element));
}

function callIds(protocol: ProtocolId, elements: readonly unknown[]): readonly string[] {
  const ids = elements.filter(isPlainObject).flatMap((element): readonly unknown[] => {
    switch (protocol) {
      case 'anthropic-messages':
        return objectsOf(element['content']).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
      case 'openai-responses':
        return 'call_id' in element ? [element['call_id']] : [];
      case 'openai-chat':
        return objectsOf(element['tool_calls']).map(({ id }) => id);
      case 'gemini':
        return objectsOf(element['parts']).flatMap(({ functionCall: call }) =>
          isPlainObject(call) ? [call['id']] : [],
        );
    }
  });
  return ids.map((id) => (typeof id === 'string' ? id : ''));
}

/** Results name the call that they answer. */
function withOriginalIds(protocol: ProtocolId, element: unknown, original: ReadonlyMap<string, string>): unknown {
  if (original.size === 0 || !isPlainObject(element)) return element;
  const rename = (holder: Json, key: string): Json => {
    const id: unknown = holder[key];
    const ours = typeof id === 'string' ? original.get(id) : undefined;
    return ours === undefined ? holder : { ...holder, [key]: ours };
  };
  switch (protocol) {
    case 'anthropic-messages':
      return mapped(element, 'content', (block) => rename(block, 'tool_use_id'));
    case 'openai-responses':
      return rename(element, 'call_id');
    case 'openai-chat':
      return rename(element, 'tool_call_id');
    case 'gemini':
      return mapped(element, 'parts', (part) => {
        const { functionResponse: response } = part;
        if (!isPlainObject(response)) return part;
        const changed = rename(response, 'id');
        return changed === response ? part : { ...part, functionResponse: changed };
      });
  }
}

/** The same object if nothing in it changes, so that it keeps its spelling. */
function mapped(element: Json, key: string, change: (value: Json) => Json): Json {
  const list: unknown = element[key];
  if (!Array.isArray(list)) return element;
  const values: readonly unknown[] = list;
  const changed = values.map((value) => (isPlainObject(value) ? change(value) : value));
  return changed.every((value, at) => value === values[at]) ? element : { ...element, [key]: changed };
}

/** Marks are the client's: a cache mark at the end of its message stays at the end. */
function withMarks(said: readonly unknown[], made: readonly unknown[]): readonly unknown[] {
  const mark = lastBlock(said.at(-1))?.['cache_control'];
  const last = made.at(-1);
  const block = lastBlock(last);
  if (mark === undefined || block === undefined || !isPlainObject(last)) return made;
  if (block['type'] === 'thinking' || block['type'] === 'redacted_thinking') return made;
  const content = [...objectsOf(last['content']).slice(0, -1), { ...block, cache_control: mark }];
  return [...made.slice(0, -1), { ...last, content }];
}

function lastBlock(element: unknown): Json | undefined {
  return isPlainObject(element) ? objectsOf(element['content']).at(-1) : undefined;
}
