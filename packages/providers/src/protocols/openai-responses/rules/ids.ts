import { sha256 } from '@bough/core';
import { ID_PREFIXES, isAcceptableId, isMessage, itemId, MAX_ID_LENGTH, pairingId } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { stringOf, typeOf } from '../wire.ts';
import { stripIds } from './atoms.ts';
import type { Placed, ResponsesBody, ResponsesRule, RuleContext } from './context.ts';
import { isOpenAi, mapItems, placedItems, rejection } from './context.ts';

export const idsAreUnique: ResponsesRule = {
  id: 'OAR-ID-1',
  title: 'No two items carry the same id.',
  reference: 'https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254',
  kind: 'rejection',
  check: (body) =>
    repeated(body).map(({ item, at }) =>
      rejection(
        `input[${at}]`,
        `Duplicate item found with id ${itemId(item)}. Remove duplicate items from your input and try again.`,
      ),
    ),
  repair: (body) => {
    const lost = new Set(repeated(body).map(({ at }) => at));
    return mapItems(body, (item, at) => (lost.has(at) ? undefined : item));
  },
};

function repeated(body: ResponsesBody): readonly Placed[] {
  const seen = new Set<string>();
  return placedItems(body).filter(({ item }) => {
    const id = itemId(item);
    // The result of a local shell call carries the id of the call.
    if (id === undefined || typeOf(item) === 'local_shell_call_output') return false;
    const again = seen.has(id);
    seen.add(id);
    return again;
  });
}

export const idsHaveTheirPrefix: ResponsesRule = {
  id: 'OAR-ID-2',
  title: 'The id of an item begins as the API begins the ids of its type.',
  reference: 'https://github.com/openai/codex/issues/33176',
  kind: 'rejection',
  check: (body, context) =>
    foreignIds(body, context).map(({ item, at }) => {
      const prefix = ID_PREFIXES.get(isMessage(item) ? 'message' : typeOf(item)) ?? '';
      return rejection(
        `input[${at}].id`,
        `Invalid 'input[${at}].id': '${itemId(item)}'. Expected an ID that begins with '${prefix}'.`,
        'invalid_value',
      );
    }),
  repair: (body, context) => stripIds(body, foreignIds(body, context)),
};

function foreignIds(body: ResponsesBody, context: RuleContext): readonly Placed[] {
  if (!isOpenAi(context)) return [];
  return placedItems(body).filter(({ item }) => {
    const id = itemId(item);
    return id !== undefined && id.length <= MAX_ID_LENGTH && !isAcceptableId(item, id);
  });
}

export const idsAreShort: ResponsesRule = {
  id: 'OAR-ID-3',
  title: 'Item ids and call ids have at most 64 characters.',
  reference: 'https://github.com/NousResearch/hermes-agent/pull/73538',
  kind: 'rejection',
  check: (body) =>
    placedItems(body).flatMap(({ item, at }) =>
      (['id', 'call_id'] as const).flatMap((key) => {
        const id = stringOf(item[key]);
        if (id === undefined || id.length <= MAX_ID_LENGTH) return [];
        return [
          rejection(
            `input[${at}].${key}`,
            `Invalid 'input[${at}].${key}': string too long. Expected a string with maximum length ${MAX_ID_LENGTH}, but got a string with length ${id.length} instead.`,
            'string_above_max_length',
          ),
        ];
      }),
    ),
  repair: (body) => {
    const long = placedItems(body).filter(({ item }) => (itemId(item)?.length ?? 0) > MAX_ID_LENGTH);
    return mapItems(stripIds(body, long), withShortCallId);
  },
};

/** A hash, so that a call and its result still match. */
function withShortCallId(item: WireItem): WireItem {
  const id = item['call_id'] === undefined ? undefined : pairingId(item);
  if (id === undefined || id.length <= MAX_ID_LENGTH) return item;
  return { ...item, call_id: `call_${sha256(id).slice(0, 24)}` };
}
