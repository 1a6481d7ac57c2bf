import { isPlainObject, sha256 } from '@bough/core';
import type { ResponsesIssuedItem } from '@bough/providers';
import type { World } from '../../world.ts';
import { unseal } from './seal.ts';
import type { Json } from './wire.ts';
import { itemsOf, kindOf, records, saidIn, strings, text } from './wire.ts';

/** A response that was given, with everything that led to it. */
export interface GivenResponse {
  readonly stored: boolean;
  readonly model: string;
  /** The whole context that led to it, its own output included. */
  readonly context: readonly Json[];
  readonly response: Json;
}

/** An item as it was when it was sent. */
export interface GivenItem {
  readonly stored: boolean;
  readonly item: Json;
  /** The reasoning that led to it. */
  readonly reasoning: readonly string[];
  /** For reasoning: what it led to. */
  readonly follower: Json | null;
}

const RESPONSE = 'openai-responses response';
const ITEM = 'openai-responses item';
const SAID = 'openai-responses said';
const CONTAINER = 'openai-responses container';

export function rememberResponse(world: World, given: GivenResponse): void {
  world.remember(RESPONSE, text(given.response['id']), given);
  const output = records(given.response['output']);
  output.forEach((item, at) => {
    const isReasoning = kindOf(item) === 'reasoning';
    const entry: GivenItem = {
      stored: given.stored,
      item,
      reasoning: isReasoning ? [] : reasoningBefore(output, at),
      follower: isReasoning ? followerOf(output, at) : null,
    };
    world.remember(ITEM, text(item['id']), entry);
    if (!isReasoning) for (const model of [given.model, ANY_MODEL]) rememberSaid(world, saidKey(item, model), entry);
  });
}

/** The newest run of reasoning before an item. */
function reasoningBefore(output: readonly Json[], at: number): readonly string[] {
  const end = output.slice(0, at).findLastIndex((item) => kindOf(item) === 'reasoning');
  const start = output.slice(0, end + 1).findLastIndex((item) => kindOf(item) !== 'reasoning') + 1;
  return output.slice(start, end + 1).map((item) => text(item['id']));
}

/** The item after the run of reasoning that this position belongs to. */
export function followerOf(output: readonly Json[], at: number): Json | null {
  return output.slice(at + 1).find((item) => kindOf(item) !== 'reasoning') ?? null;
}

export function recallResponse(world: World, id: string): GivenResponse | null {
  const given = world.recall(RESPONSE, id);
  if (!isPlainObject(given) || !isPlainObject(given['response'])) return null;
  return {
    stored: given['stored'] === true,
    model: text(given['model']),
    context: itemsOf(given['context']),
    response: given['response'],
  };
}

/** After so long without use, a container of the code interpreter is gone. */
const IDLE_MS = 20 * 60 * 1_000;

/** It was used now. */
export function rememberContainer(world: World, id: string): void {
  world.remember(CONTAINER, id, world.now());
}

/** Gone before its time. */
export function expireContainer(world: World, id: string): void {
  world.remember(CONTAINER, id, Number.NEGATIVE_INFINITY);
}

export function isContainer(world: World, id: string): boolean {
  const used = world.recall(CONTAINER, id);
  return typeof used === 'number' && world.now() - used <= IDLE_MS;
}

/** Known, and gone. One that was made before a restart is not known, and nobody minds it. */
export const isExpired = (world: World, id: string): boolean =>
  world.recall(CONTAINER, id) !== undefined && !isContainer(world, id);

/** Deleted by its owner: neither read nor continued any more. */
export function forgetResponse(world: World, given: GivenResponse): void {
  world.remember(RESPONSE, text(given.response['id']), { ...given, stored: false });
}

export const recallItem = (world: World, id: string): GivenItem | null => givenItem(world.recall(ITEM, id));

const MAX_SAID = 20;

/** The same words may be said again, with other reasoning or none: each occurrence counts. */
function rememberSaid(world: World, key: string, entry: GivenItem): void {
  const before = world.recall(SAID, key);
  world.remember(SAID, key, [...(Array.isArray(before) ? before : []), entry].slice(-MAX_SAID));
}

/** What any of the vendor's models said. */
export const ANY_MODEL = '';

/** The occurrences that an item may be: the one with its id, or else all with the same content. */
export function recallSaid(world: World, item: Json, model: string): readonly GivenItem[] {
  const own = recallItem(world, text(item['id']));
  if (own !== null) return [own];
  const said = world.recall(SAID, saidKey(item, model));
  return (Array.isArray(said) ? said : []).map(givenItem).filter((given) => given !== null);
}

function givenItem(value: unknown): GivenItem | null {
  if (!isPlainObject(value) || !isPlainObject(value['item'])) return null;
  return {
    stored: value['stored'] === true,
    item: value['item'],
    reasoning: strings(value['reasoning']),
    follower: isPlainObject(value['follower']) ? value['follower'] : null,
  };
}

function saidKey(item: Json, model: string): string {
  return sha256(JSON.stringify([model, kindOf(item), text(item['call_id']) || saidIn(item)]));
}

/** What the shared rules need to know about the items of a request. */
export function issuedFacts(world: World, items: readonly Json[]): ReadonlyMap<string, ResponsesIssuedItem> {
  return new Map(
    items.flatMap((item): (readonly [string, ResponsesIssuedItem])[] => {
      const id = text(item['id']);
      const given = recallItem(world, id);
      if (given === null && unseal(world, text(item['proof']))?.id !== id) return [];
      const phase = text(given?.item['phase']) || null;
      return [[id, { reasoning: given?.reasoning ?? [], sealed: [], follower: null, phase }]];
    }),
  );
}
