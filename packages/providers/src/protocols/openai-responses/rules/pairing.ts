import { isAnswer, needsAnswer, pairingId } from '../items.ts';
import type { Placed, ResponsesBody, ResponsesRule } from './context.ts';
import { placedItems, rejection } from './context.ts';
import { dropItems } from './atoms.ts';

export const callIsAnswered: ResponsesRule = {
  id: 'OAR-PAIR-1',
  title: 'Every call that the client runs has a result behind it.',
  reference: 'https://github.com/bytedance/trae-agent/issues/245',
  kind: 'rejection',
  check: (body) =>
    unanswered(body).map(({ item, at }) =>
      rejection(`input[${at}]`, `No tool output found for function call ${pairingId(item) ?? ''}.`),
    ),
  repair: (body) => dropItems(body, unanswered(body)),
};

function unanswered(body: ResponsesBody): readonly Placed[] {
  const items = placedItems(body);
  return items.filter(({ item }, index) => {
    if (!needsAnswer(item)) return false;
    const id = pairingId(item);
    return !items.slice(index + 1).some((later) => isAnswer(later.item) && pairingId(later.item) === id);
  });
}

export const resultHasItsCall: ResponsesRule = {
  id: 'OAR-PAIR-2',
  title: 'Every result stands behind the call that it answers.',
  reference: 'https://github.com/continuedev/continue/issues/10092',
  kind: 'rejection',
  check: (body) =>
    strayResults(body).map(({ item, at }) =>
      rejection(`input[${at}]`, `No tool call found for function call output with call_id ${pairingId(item) ?? ''}.`),
    ),
  repair: (body) => dropItems(body, strayResults(body)),
};

function strayResults(body: ResponsesBody): readonly Placed[] {
  // The call may be in a response, or behind a reference, that the provider holds.
  if (typeof body['previous_response_id'] === 'string' || body['conversation'] != null) return [];
  const items = placedItems(body);
  if (items.some(({ item }) => item['type'] === 'item_reference')) return [];
  return items.filter(({ item }, index) => {
    if (!isAnswer(item)) return false;
    const id = pairingId(item);
    return !items.slice(0, index).some((earlier) => needsAnswer(earlier.item) && pairingId(earlier.item) === id);
  });
}
