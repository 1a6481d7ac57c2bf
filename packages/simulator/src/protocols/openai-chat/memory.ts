import { isPlainObject, sha256 } from '@bough/core';
import type { World } from '../../world.ts';
import type { Json } from './request.ts';
import { calledIn, contentText, listOf, textOf } from './request.ts';
import { brokenSeal } from './seals.ts';
import type { Spoken } from './speech.ts';
import type { Vendor } from './vendors.ts';

// The simulator remembers what it said, and what comes back as its own must be its own: byte for byte, or left out.
// This is independent of the rulebook that Bough checks itself with.

interface Said {
  readonly reasoning: string;
  readonly details: string;
}

interface SaidCall extends Said {
  readonly name: string;
  readonly arguments: string;
}

const kindOf = (vendor: Vendor, model: string): string => `openai-chat ${vendor.id} ${model}`;
const textKey = (content: string): string => `text ${sha256(content)}`;

export function rememberSpoken(world: World, vendor: Vendor, model: string, spoken: Spoken): void {
  const kind = kindOf(vendor, model);
  const said: Said = { reasoning: spoken.reasoning, details: JSON.stringify(spoken.details) };
  for (const call of spoken.calls) {
    world.remember(kind, call.id, { ...said, name: call.name, arguments: call.arguments });
  }
  if (spoken.calls.length > 0) return;
  const key = textKey(spoken.content);
  world.remember(kind, key, [...saidTexts(world.recall(kind, key)), said]);
}

/** What is wrong with the reasoning that came back; null if all of it is the simulator's own. */
export function verifyReturned(
  world: World,
  vendor: Vendor,
  model: string,
  messages: readonly Json[],
): { readonly index: number; readonly problem: string } | null {
  for (const [index, message] of messages.entries()) {
    if (message['role'] !== 'assistant') continue;
    const problem = verifyMessage(world, vendor, model, message);
    if (problem !== null) return { index, problem };
  }
  return null;
}

function verifyMessage(world: World, vendor: Vendor, model: string, message: Json): string | null {
  const known = knownAs(world, kindOf(vendor, model), message);
  return (
    verifyCalls(world, known) ??
    (vendor.reasoning(model) === 'details'
      ? verifyDetails(world, model, message, known)
      : verifyText(world, vendor, model, message, known))
  );
}

interface Known {
  /** The replies that this message could be. */
  readonly said: readonly Said[];
  readonly calls: readonly { readonly returned: Json; readonly said: SaidCall }[];
}

function knownAs(world: World, kind: string, message: Json): Known {
  const calls = listOf(message, 'tool_calls').flatMap((returned) => {
    const said = saidCall(world.recall(kind, textOf(returned, 'id') ?? ''));
    return said === null ? [] : [{ returned, said }];
  });
  const [first] = calls;
  if (first !== undefined) return { said: [first.said], calls };
  const hasCalls = listOf(message, 'tool_calls').length > 0;
  return { said: hasCalls ? [] : saidTexts(world.recall(kind, textKey(contentText(message)))), calls };
}

function verifyCalls(world: World, { calls }: Known): string | null {
  for (const { returned, said } of calls) {
    const called = calledIn(returned);
    const args = textOf(called, 'arguments') ?? textOf(called, 'input') ?? '';
    if (called['name'] !== said.name || (args !== said.arguments && !sameJson(args, said.arguments))) {
      return `tool call ${textOf(returned, 'id') ?? ''} was changed`;
    }
    if (args !== said.arguments) {
      world.note({ kind: 'silent_drop', rule: 'arguments_rewritten', detail: 'Tool arguments were written again.' });
    }
  }
  return null;
}

function verifyText(world: World, vendor: Vendor, model: string, message: Json, { said }: Known): string | null {
  const returned = returnedReasoning(vendor, model, message);
  const own = said.map(({ reasoning }) => reasoning);
  if (returned.trim() === '') {
    if (own.length > 0 && own.every((reasoning) => reasoning !== '')) leftOut(world, own);
    return null;
  }
  if (own.includes(returned)) return null;
  if (own.length > 0) return 'the reasoning that came back is not the reasoning that was sent';
  // A reply from before a restart: it cannot be checked, and refusing it would break old conversations.
  world.note({ kind: 'accepted', rule: 'unverified', detail: 'Reasoning of a reply that is not remembered.' });
  return null;
}

function returnedReasoning(vendor: Vendor, model: string, message: Json): string {
  switch (vendor.reasoning(model)) {
    case 'reasoning_content':
      return textOf(message, 'reasoning_content') ?? '';
    case 'reasoning':
      return textOf(message, 'reasoning') ?? '';
    case 'chunks':
      return listOf(message, 'content')
        .flatMap((part) => listOf(part, 'thinking'))
        .map((part) => textOf(part, 'text') ?? '')
        .join('');
    // In tags the reasoning is part of the text, and `hidden` has none to send back.
    case 'tags':
    case 'details':
    case 'hidden':
      return '';
  }
}

function verifyDetails(world: World, model: string, message: Json, { said }: Known): string | null {
  const entries = listOf(message, 'reasoning_details');
  for (const entry of entries) {
    const problem = brokenSeal(world, model, entry);
    if (problem !== null) return problem;
  }
  if (said.length === 0) return null;
  if (entries.length === 0) {
    if (said.every(({ details }) => details !== '[]')) leftOut(world, said.flatMap(tokensOf));
    return null;
  }
  const returned = entries.map(ordered);
  const same = said.some(({ details }) => {
    const sent: unknown = JSON.parse(details);
    return Array.isArray(sent) && JSON.stringify(sent.filter(isPlainObject).map(ordered)) === JSON.stringify(returned);
  });
  return same ? null : 'reasoning_details were reordered, merged or filtered';
}

/** The fields of an entry in one order: a client that merges fragments gets them in the order of the stream. */
function ordered(entry: Json): readonly (readonly [string, unknown])[] {
  return Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** What identifies the details of a reply: what was sealed, or else what was said. */
function tokensOf({ details }: Said): readonly string[] {
  const entries: unknown = JSON.parse(details);
  const values = Array.isArray(entries) ? entries.filter(isPlainObject) : [];
  return values.map((entry) => textOf(entry, 'data') ?? textOf(entry, 'signature') ?? textOf(entry, 'text') ?? '');
}

function leftOut(world: World, withheld: readonly string[]): void {
  world.note({
    kind: 'silent_drop',
    rule: 'reasoning_left_out',
    detail: 'The reasoning of a reply did not come back.',
    withheld,
  });
}

function sameJson(a: string, b: string): boolean {
  try {
    const [left, right]: unknown[] = [JSON.parse(a || '{}'), JSON.parse(b || '{}')];
    return JSON.stringify(left) === JSON.stringify(right);
  } catch {
    return false;
  }
}

function saidTexts(value: unknown): readonly Said[] {
  return Array.isArray(value) ? value.flatMap((entry: unknown) => (isSaid(entry) ? [entry] : [])) : [];
}

function saidCall(value: unknown): SaidCall | null {
  return isSaid(value) && 'name' in value && 'arguments' in value ? (value as SaidCall) : null;
}

function isSaid(value: unknown): value is Said {
  return isPlainObject(value) && typeof value['reasoning'] === 'string' && typeof value['details'] === 'string';
}
