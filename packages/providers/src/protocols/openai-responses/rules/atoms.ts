import type { Finding } from '../../../rulebook/rule.ts';
import { groupByReasoning, isAssistantMessage, isGenerated, isMessage, isReasoning, itemId } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { typeOf, without } from '../wire.ts';
import type { Placed, ResponsesBody, ResponsesRule, RuleContext } from './context.ts';
import { isOpenAi, mapItems, placedItems, rejection, withItems } from './context.ts';

/** Reasoning that has an id, followed by something other than what it led to. */
export const reasoningHasItsFollower: ResponsesRule = {
  id: 'OAR-ATOM-1',
  title: 'Reasoning that carries an id stands right before the item that it led to.',
  reference: 'https://github.com/openai/openai-node/issues/1567',
  kind: 'rejection',
  check: (body, context) =>
    lonelyReasoning(body, context).map(({ item, at }) =>
      rejection(
        `input[${at}]`,
        `Item '${itemId(item)}' of type 'reasoning' was provided without its required following item.`,
      ),
    ),
  repair: (body, context) => dropItems(body, lonelyReasoning(body, context)),
};

function lonelyReasoning(body: ResponsesBody, context: RuleContext): readonly Placed[] {
  if (!isOpenAi(context)) return [];
  const items = placedItems(body);
  return items.filter(({ item }, index) => {
    const id = itemId(item);
    if (!isReasoning(item) || id === undefined) return false;
    const next = items.slice(index + 1).find((candidate) => !isReasoning(candidate.item))?.item;
    return next === undefined || !isFollower(next, id, body, context);
  });
}

function isFollower(next: WireItem, reasoningId: string, body: ResponsesBody, context: RuleContext): boolean {
  if (typeOf(next) === 'item_reference') return true;
  if (!isGenerated(next)) return false;
  const nextId = itemId(next);
  // A stored response knows which message it wrote; one without an id is not that message.
  if (nextId === undefined) return body['store'] === false || !isAssistantMessage(next);
  const required = context.issued?.get(reasoningId)?.follower ?? null;
  return required === null || required === nextId;
}

/** An item that has an id, without the reasoning that it was generated with. */
function orphans(body: ResponsesBody, context: RuleContext): readonly (Placed & { readonly missing: string })[] {
  if (!isOpenAi(context) || context.issued === undefined || typeof body['previous_response_id'] === 'string') return [];
  const before = new Set<string>();
  return placedItems(body).flatMap((placed) => {
    const id = itemId(placed.item);
    if (id === undefined) return [];
    before.add(id);
    const missing = context.issued?.get(id)?.reasoning.find((reasoning) => !before.has(reasoning));
    return missing === undefined ? [] : [{ ...placed, missing }];
  });
}

export const callHasItsReasoning: ResponsesRule = {
  id: 'OAR-ATOM-2',
  title: 'An item that carries an id comes with the reasoning that it was generated with.',
  reference: 'https://github.com/mastra-ai/mastra/issues/8738',
  kind: 'rejection',
  check: (body, context) =>
    orphans(body, context)
      .filter(({ item }) => !isMessage(item))
      .map(({ item, at, missing }) =>
        rejection(
          `input[${at}]`,
          `Item '${itemId(item)}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${missing}'.`,
        ),
      ),
  repair: (body, context) => stripIds(body, orphans(body, context)),
};

export const messageHasItsReasoning: ResponsesRule = {
  id: 'OAR-ATOM-3',
  title: 'A message that carries an id comes with the reasoning that it was generated with.',
  reference: 'https://github.com/openai/openai-node/issues/1791',
  kind: 'rejection',
  check: (body, context) =>
    orphans(body, context)
      .filter(({ item }) => isMessage(item))
      .map(({ item, at }): Finding =>
        rejection(
          `input[${at}]`,
          `Item '${itemId(item)}' of type 'message' was provided without its required preceding item of type 'reasoning'.`,
        ),
      ),
  repair: (body, context) => stripIds(body, orphans(body, context)),
};

/**
 * Removes items. Reasoning that loses its follower is removed too, and so are the ids of all that was generated with
 * it.
 */
export function dropItems(body: ResponsesBody, lost: readonly Placed[]): ResponsesBody {
  const places = placesOf(lost);
  const isLost = ({ at }: Placed): boolean => places.has(at);
  const kept = groupByReasoning(placedItems(body), ({ item }) => item).flatMap(({ reasoning, items }) => {
    const follower = items[0];
    const separated = reasoning.some(isLost) || (follower !== undefined && isLost(follower));
    const rest = items.filter((placed) => !isLost(placed)).map(({ item }) => item);
    return separated ? rest.map(anonymous) : [...reasoning.map(({ item }) => item), ...rest];
  });
  return withItems(body, kept);
}

export function stripIds(body: ResponsesBody, from: readonly Placed[]): ResponsesBody {
  const places = placesOf(from);
  return mapItems(body, (item, at) => (places.has(at) ? anonymous(item) : item));
}

// By place, not by object: a body may contain the same object twice.
function placesOf(items: readonly Placed[]): ReadonlySet<number> {
  return new Set(items.map(({ at }) => at));
}

/** Removes from generated items what makes the API look them up; everything else is unchanged. */
function anonymous(item: WireItem): WireItem {
  return isGenerated(item) && itemId(item) !== undefined ? without(item, 'id', 'status') : item;
}
