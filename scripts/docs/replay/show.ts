import type { RawResponse, TreeNode } from '@bough/core';
import { eventsOfRaw, isPlainObject } from '@bough/core';
import type { CallTarget, PreparedCall } from '@bough/providers';
import { readable } from '../readable.ts';

/** Names and texts of examples. */
export type Examples = Map<string, string>;

export type Json = Readonly<Record<string, unknown>>;

export function bodyOf({ request }: PreparedCall): Json {
  const body: unknown = JSON.parse(request.body);
  return isPlainObject(body) ? body : {};
}

/** The whole body that is sent. */
export const wholeBody = (prepared: PreparedCall): string => readable(bodyOf(prepared));

const LISTS = ['messages', 'input', 'contents'];

/** The conversation in a body, under whatever name the protocol gives it. */
export function conversationOf(prepared: PreparedCall): readonly unknown[] {
  const list = LISTS.map((key) => bodyOf(prepared)[key]).find(Array.isArray);
  return list ?? [];
}

/** The conversation from a position on; a negative one counts from the end. */
export const conversation = (prepared: PreparedCall, from = 0): string =>
  readable(conversationOf(prepared).slice(from));

export const blocks = (node: TreeNode): string => readable(node.contentBlocks);

/** What the report says about each node. */
export function report({ report: lines }: PreparedCall): string {
  return readable(lines.map(({ nodeId, fidelity, reasons }) => ({ nodeId, fidelity, reasons })));
}

/** The events of a reply as they came over the wire: those that `pick` names, without `noise`; a gap is marked. */
export function wire(
  raw: RawResponse,
  pick: (data: Json, event: string) => boolean,
  noise: readonly string[] = [],
): string {
  const shown = eventsOfRaw(raw).map(({ event = '', data }) => {
    const json: unknown = data.startsWith('{') ? JSON.parse(data) : data;
    if (!isPlainObject(json) || !pick(json, event)) return '…';
    const told = mapObjects(json, (object) =>
      Object.fromEntries(Object.entries(object).filter(([key]) => !noise.includes(key))),
    );
    return `${event === '' ? '' : `event: ${event}\n`}data: ${readable(told)}\n`;
  });
  return shown
    .filter((text, at) => text !== '…' || shown[at - 1] !== '…')
    .join('\n')
    .trim();
}

/** Sends a body that Bough would not send, and returns the simulator's answer. */
export async function refusal(to: CallTarget, prepared: PreparedCall, spoil: (body: Json) => Json): Promise<string> {
  const response = await fetch(prepared.request.url, {
    method: 'POST',
    headers: { ...prepared.request.headers, ...to.provider.deployment.headers, 'content-type': 'application/json' },
    body: JSON.stringify(spoil(bodyOf(prepared))),
  });
  const answer: unknown = JSON.parse(await response.text());
  const error = isPlainObject(answer) && isPlainObject(answer['error']) ? answer['error'] : {};
  if (response.ok) throw new Error('The simulator took what it should refuse.');
  return `HTTP ${response.status}\n${String(error['message'])}`;
}

/** Every object of a body, changed by `change` if that applies to it; for breaking bodies. */
export function mapObjects(value: unknown, change: (object: Json) => Json | null): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((entry) => {
      const mapped = mapObjects(entry, change);
      return mapped === null ? [] : [mapped];
    });
  }
  if (!isPlainObject(value)) return value;
  const changed = change(value);
  if (changed === null) return null;
  return Object.fromEntries(Object.entries(changed).map(([key, entry]) => [key, mapObjects(entry, change)]));
}

export function spoiling(change: (object: Json) => Json | null): (body: Json) => Json {
  return (body) => {
    const spoiled = mapObjects(body, change);
    return isPlainObject(spoiled) ? spoiled : {};
  };
}
