import { isGenerated } from '../items.ts';
import { typeOf } from '../wire.ts';
import type { ResponsesRule } from './context.ts';
import { placedItems, rejection } from './context.ts';

export const oneKindOfState: ResponsesRule = {
  id: 'OAR-CHAIN-1',
  title: 'A request continues a response or a conversation, not both.',
  reference: 'https://platform.openai.com/docs/api-reference/responses/create',
  kind: 'rejection',
  check: (body) =>
    typeof body['previous_response_id'] === 'string' && body['conversation'] != null
      ? [
          rejection(
            'previous_response_id',
            "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Provide only one of them.",
            'mutually_exclusive_parameters',
          ),
        ]
      : [],
};

export const onlyNewItemsInAChain: ResponsesRule = {
  id: 'OAR-CHAIN-2',
  title: 'A request that continues a response holds only what is new: the rest would be read twice.',
  reference: 'https://developers.openai.com/api/docs/guides/conversation-state',
  kind: 'silent',
  check: (body) =>
    typeof body['previous_response_id'] === 'string'
      ? placedItems(body)
          .filter(({ item }) => isGenerated(item))
          .map(({ at }) => ({
            path: `input[${at}]`,
            message: 'A reply is sent together with previous_response_id: the model reads it twice.',
            status: 200,
          }))
      : [],
};

export const compactionTriggerIsLast: ResponsesRule = {
  id: 'OAR-CHAIN-3',
  title: 'A compaction trigger is the last item.',
  reference: 'https://platform.openai.com/docs/api-reference/responses/create',
  kind: 'rejection',
  check: (body) => {
    const items = placedItems(body);
    return items
      .slice(0, -1)
      .filter(({ item }) => typeOf(item) === 'compaction_trigger')
      .map(({ at }) =>
        rejection(`input[${at}]`, "Invalid 'input': 'compaction_trigger' must be the final input item."),
      );
  },
};
