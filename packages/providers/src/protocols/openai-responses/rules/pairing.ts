import { answerType, isAnswer, isAnswerTo, isAsync, itemId, needsAnswer, pairingId } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { objectsOf, stringOf, typeOf } from '../wire.ts';
import type { Placed, ResponsesBody, ResponsesRule } from './context.ts';
import { placedItems, rejection } from './context.ts';
import { dropItems } from './atoms.ts';
import { withWholePrograms } from './programs.ts';

/** As the API names them in its sentences. */
const kindName = (item: WireItem): string =>
  typeOf(item)
    .replace(/_output$/, '')
    .replaceAll('_', ' ');

export const callIsAnswered: ResponsesRule = {
  id: 'OAR-PAIR-1',
  title: 'Every call that the client runs has a result behind it, unless the call is asynchronous.',
  reference: 'https://developers.openai.com/api/docs/guides/async-tool-calling',
  kind: 'rejection',
  check: (body) =>
    unanswered(body).map(({ item, at }) =>
      rejection(`input[${at}]`, `No tool output found for ${kindName(item)} ${pairingId(item) ?? ''}.`),
    ),
  repair: (body) => dropItems(body, withWholePrograms(body, unanswered(body))),
};

function unanswered(body: ResponsesBody): readonly Placed[] {
  const items = placedItems(body);
  return items.filter(({ item }, index) => {
    if (!needsAnswer(item) || isAsync(item)) return false;
    return !items.slice(index + 1).some((later) => isAnswerTo(later.item, item));
  });
}

export const resultHasItsCall: ResponsesRule = {
  id: 'OAR-PAIR-2',
  title: 'Every result stands behind the call that it answers.',
  reference: 'https://github.com/continuedev/continue/issues/10092',
  kind: 'rejection',
  check: (body) =>
    strayResults(body).map(({ item, at }) =>
      rejection(
        `input[${at}]`,
        `No tool call found for ${kindName(item)} output with call_id ${pairingId(item) ?? ''}.`,
      ),
    ),
  repair: (body) => dropItems(body, strayResults(body)),
};

/** The call may be in a response, or behind a reference, that the provider holds. */
function isHeldElsewhere(body: ResponsesBody): boolean {
  if (typeof body['previous_response_id'] === 'string' || body['conversation'] != null) return true;
  return placedItems(body).some(({ item }) => typeOf(item) === 'item_reference');
}

function strayResults(body: ResponsesBody): readonly Placed[] {
  if (isHeldElsewhere(body)) return [];
  const items = placedItems(body);
  return items.filter(({ item }, index) => {
    // A result that names only its tool is the client's own way of answering.
    if (!isAnswer(item) || (pairingId(item) === undefined && typeof item['name'] === 'string')) return false;
    return !items.slice(0, index).some((earlier) => isAnswerTo(item, earlier.item));
  });
}

export const resultHasItsType: ResponsesRule = {
  id: 'OAR-PAIR-3',
  title: 'A call is answered by the type of result that belongs to it.',
  reference: 'https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts',
  kind: 'rejection',
  check: (body) =>
    mistyped(body).map(({ item, at }) =>
      rejection(`input[${at}]`, `No tool call found for ${kindName(item)} output with call_id ${pairingId(item)}.`),
    ),
};

function mistyped(body: ResponsesBody): readonly Placed[] {
  const items = placedItems(body);
  return items.filter(({ item }, index) => {
    if (!isAnswer(item)) return false;
    const call = items.slice(0, index).findLast((earlier) => isAnswerTo(item, earlier.item));
    return call !== undefined && needsAnswer(call.item) && typeOf(item) !== answerType(call.item);
  });
}

export const approvalHasItsRequest: ResponsesRule = {
  id: 'OAR-PAIR-4',
  title: 'An approval names the request that it answers, by the id of the request.',
  reference: 'https://github.com/microsoft/agent-framework/issues/7452',
  kind: 'rejection',
  check: (body) =>
    strayApprovals(body).map(({ item, at }) =>
      // The refusal is reported; its sentence is not.
      rejection(
        `input[${at}].approval_request_id`,
        `No approval request found for approval response with approval_request_id ${stringOf(item['approval_request_id']) ?? ''}.`,
      ),
    ),
  repair: (body) => dropItems(body, strayApprovals(body)),
};

function strayApprovals(body: ResponsesBody): readonly Placed[] {
  if (isHeldElsewhere(body)) return [];
  const items = placedItems(body);
  return items.filter(
    ({ item }, index) =>
      typeOf(item) === 'mcp_approval_response' &&
      !items
        .slice(0, index)
        .some(({ item: earlier }) => isApprovalRequest(earlier) && itemId(earlier) === item['approval_request_id']),
  );
}

const isApprovalRequest = (item: WireItem): boolean => typeOf(item) === 'mcp_approval_request';

export const safetyIsAcknowledged: ResponsesRule = {
  id: 'OAR-PAIR-5',
  title: 'The result of a computer call acknowledges the safety checks that the call raised.',
  reference: 'https://github.com/openai/openai-agents-python/issues/843',
  kind: 'rejection',
  check: (body) => {
    const items = placedItems(body);
    return items.flatMap(({ item, at }, index) => {
      if (typeOf(item) !== 'computer_call_output') return [];
      const call = items.slice(0, index).findLast((earlier) => isAnswerTo(item, earlier.item))?.item;
      const acknowledged = new Set(objectsOf(item['acknowledged_safety_checks']).map(({ id }) => id));
      const open = objectsOf(call?.['pending_safety_checks']).filter(({ id }) => !acknowledged.has(id));
      if (open.length === 0) return [];
      const names = open.map(({ id }) => `'${String(id)}'`).join(', ');
      return [rejection(`input[${at}]`, `Computer tool has unacknowledged safety check for [${names}]`)];
    });
  },
};
