import type { ProtocolId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Json } from '../dialects/json.ts';
import { objectOf, parseJson, stringOf, withoutMarks } from '../dialects/json.ts';

/**
 * A part of a request, in the order in which providers read it: what differs first breaks their cache from there on.
 */
export interface PrefixPart {
  readonly kind: 'tools' | 'system' | 'settings' | 'message';
  /** The tool, the setting, or the role of the message. */
  readonly name: string;
  /** Its number among those of its kind, from zero; blocks of one message have the number of the message. */
  readonly at: number;
  /** What it says, without marks for the cache. */
  readonly text: string;
}

interface Places {
  readonly tools: readonly string[];
  readonly system: readonly string[];
  readonly messages: string;
  readonly blocks: string;
  /** Settings with which a provider keeps another cache. */
  readonly settings: readonly string[];
}

const PLACES: Readonly<Record<ProtocolId, Places>> = {
  'anthropic-messages': {
    tools: ['tools'],
    system: ['system'],
    messages: 'messages',
    blocks: 'content',
    settings: ['thinking', 'output_config', 'tool_choice', 'speed'],
  },
  'openai-responses': {
    tools: ['tools'],
    system: ['instructions'],
    messages: 'input',
    blocks: 'content',
    settings: ['reasoning', 'text', 'prompt_cache_key', 'service_tier'],
  },
  'openai-chat': {
    tools: ['tools', 'functions'],
    system: [],
    messages: 'messages',
    blocks: 'content',
    settings: ['reasoning_effort', 'response_format', 'prompt_cache_key', 'service_tier'],
  },
  gemini: {
    tools: ['tools'],
    system: ['systemInstruction', 'system_instruction'],
    messages: 'contents',
    blocks: 'parts',
    settings: ['toolConfig', 'cachedContent'],
  },
};

/** Null if the body is no JSON object. */
export function prefixOf(protocol: ProtocolId, body: string): readonly PrefixPart[] | null {
  const json = objectOf(parseJson(body));
  if (json === undefined) return null;
  const places = PLACES[protocol];
  const values = (keys: readonly string[]): readonly unknown[] =>
    keys.flatMap((key) => (json[key] === undefined ? [] : listed(json[key])));
  return [
    ...values(places.tools).map((tool, at) => part('tools', nameOf(tool), at, tool)),
    ...values(places.system).map((text, at) => part('system', 'system', at, blockOf(text))),
    ...places.settings.flatMap((key, at) => (json[key] === undefined ? [] : [part('settings', key, at, json[key])])),
    ...listed(json[places.messages]).flatMap((message, at) => messageParts(message, at, places.blocks)),
  ];
}

/** Where a request leaves the one before; null if it only goes on, or takes something back at its end. */
export function firstDifference(before: readonly PrefixPart[], now: readonly PrefixPart[]): PrefixPart | null {
  for (const [at, old] of before.entries()) {
    const found = now[at];
    if (found === undefined) return null;
    if (found.kind === old.kind && found.name === old.name && found.text === old.text) continue;
    // Where one of them has something that the other has not, that is what differs, not what stands in its place.
    return rankOf(old) < rankOf(found) ? old : found;
  }
  const added = now[before.length];
  return added === undefined || added.kind === 'message' ? null : added;
}

const ORDER: readonly PrefixPart['kind'][] = ['tools', 'system', 'settings', 'message'];

const rankOf = ({ kind, at }: PrefixPart): number => ORDER.indexOf(kind) * 1e9 + at;

const listed = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly unknown[]) : [value];

/** A text as a string and as a block is the same to a provider. */
const blockOf = (value: unknown): unknown => (typeof value === 'string' ? { type: 'text', text: value } : value);

function part(kind: PrefixPart['kind'], name: string, at: number, value: unknown): PrefixPart {
  // The order of keys counts: providers cache what they read, not what it means.
  return { kind, name, at, text: JSON.stringify(withoutMarks(value)) ?? '' };
}

function messageParts(message: unknown, at: number, key: string): readonly PrefixPart[] {
  if (!isPlainObject(message)) return [part('message', 'user', at, blockOf(message))];
  const { [key]: content, ...rest } = message as Json;
  const role = stringOf(rest['role']) ?? stringOf(rest['type']) ?? 'message';
  if (content === undefined) return [part('message', role, at, rest)];
  const blocks = listed(content).map((block) => part('message', role, at, blockOf(block)));
  // Without its content a message may still say something: the calls of a chat message, the phase of an item.
  const { role: _, type: __, ...others } = rest;
  return Object.keys(others).length === 0 ? blocks : [part('message', role, at, others), ...blocks];
}

function nameOf(tool: unknown): string {
  const json = objectOf(tool);
  const name = json?.['name'] ?? objectOf(json?.['function'])?.['name'] ?? json?.['type'];
  return typeof name === 'string' ? name : 'tools';
}
