import type { Finding } from '../../../rulebook/rule.ts';
import {
  groupByReasoning,
  isAssistantMessage,
  isMessage,
  itemId,
  messageText,
  needsAnswer,
  pairingId,
} from '../items.ts';
import { stringOf } from '../wire.ts';
import type { Placed, ResponsesRule, RuleContext } from './context.ts';
import { placedItems } from './context.ts';

const silent = (at: number, message: string): Finding => ({ path: `input[${at}]`, message, status: 200 });

export const phaseIsKept: ResponsesRule = {
  id: 'OAR-LOSS-1',
  title: 'A message that came with a phase goes back with it.',
  reference: 'https://platform.openai.com/docs/api-reference/responses/create',
  kind: 'silent',
  check: (body, context) =>
    context.traits.phases
      ? groupByReasoning(placedItems(body), ({ item }) => item).flatMap(({ reasoning, items }) =>
          items
            .filter(({ item }) => isAssistantMessage(item) && item['phase'] == null)
            .filter((placed) => lostItsPhase(placed, reasoning, items, context))
            .map(({ at }) => silent(at, 'The phase of this message was lost: the model answers worse without it.')),
        )
      : [],
};

/** Known from the reply; if that is not available, a message right after encrypted reasoning is the model's own. */
function lostItsPhase(
  { item }: Placed,
  reasoning: readonly Placed[],
  items: readonly Placed[],
  { issued }: RuleContext,
): boolean {
  const facts = issued?.get(itemId(item) ?? '');
  if (facts !== undefined) return facts.phase !== null;
  if (issued !== undefined) return false;
  return items[0]?.item === item && reasoning.some((placed) => typeof placed.item['encrypted_content'] === 'string');
}

export const reasoningStaysInTheLoop: ResponsesRule = {
  id: 'OAR-LOSS-2',
  title: 'While a turn runs, its calls keep the reasoning that led to them.',
  reference: 'https://developers.openai.com/api/docs/guides/reasoning#keeping-reasoning-items-in-context',
  kind: 'silent',
  check: (body, { issued }) => {
    if (issued === undefined || typeof body['previous_response_id'] === 'string') return [];
    const items = placedItems(body);
    const present = new Set(items.flatMap(({ item }) => [itemId(item), stringOf(item['encrypted_content'])]));
    const turn = items.findLastIndex(({ item }) => isMessage(item) && item['role'] === 'user');
    return items
      .slice(turn + 1)
      .filter(({ item }) => needsAnswer(item))
      .filter(({ item }) => {
        const facts = issued.get(pairingId(item) ?? '');
        if (facts === undefined || facts.reasoning.length === 0) return false;
        return ![...facts.reasoning, ...facts.sealed].some((name) => present.has(name));
      })
      .map(({ at }) => silent(at, 'The reasoning that led to this call is not sent: the model starts over.'));
  },
};

export const noReasoningAsText: ResponsesRule = {
  id: 'OAR-LOSS-3',
  title: 'Reasoning does not go out as the text of a message.',
  reference: 'https://developers.openai.com/api/docs/guides/reasoning',
  kind: 'silent',
  check: (body) =>
    placedItems(body)
      .filter(({ item }) => isAssistantMessage(item) && /^\s*<think(ing)?>/.test(messageText(item)))
      .map(({ at }) => silent(at, 'This message begins with reasoning in tags: the model takes it for its answer.')),
};
