import type { WireItem } from '../wire.ts';
import { objectOf, typeOf } from '../wire.ts';
import type { Placed, ResponsesBody, ResponsesRule, RuleContext } from './context.ts';
import { mapItems, placedItems, rejection } from './context.ts';

const isUpdate = (item: WireItem): boolean => typeOf(item) === 'configuration_update';

/** `reasoning.mode: pro`, or a model that is always in that mode. */
function isPro(body: ResponsesBody, { model }: RuleContext): boolean {
  return objectOf(body['reasoning'])?.['mode'] === 'pro' || /-pro(-\d{4}-\d{2}-\d{2})?$/.test(model.id);
}

export const noUpdateInProMode: ResponsesRule = {
  id: 'OAR-CONFIG-1',
  title: 'In pro mode the settings do not change inside the conversation.',
  reference: 'https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/gpt-6-astra',
  kind: 'rejection',
  check: (body, context) =>
    refusedUpdates(body, context).map(({ at }) =>
      rejection(`input[${at}]`, "The 'configuration_update' item type is not supported with pro or tournament models."),
    ),
  // What the newest update set goes into the parameters: it is what the conversation was to go on with.
  repair: (body, context) => {
    const updates = refusedUpdates(body, context).map(({ item }) => item);
    const effort = updates.map((item) => objectOf(item['reasoning'])?.['effort']).findLast((value) => value != null);
    const format = updates.map((item) => objectOf(item['text'])?.['format']).findLast((value) => value != null);
    return {
      ...mapItems(body, (item) => (isUpdate(item) ? undefined : item)),
      ...(effort !== undefined && { reasoning: { ...objectOf(body['reasoning']), effort } }),
      ...(format !== undefined && { text: { ...objectOf(body['text']), format } }),
    };
  },
};

function refusedUpdates(body: ResponsesBody, context: RuleContext): readonly Placed[] {
  return isPro(body, context) ? placedItems(body).filter(({ item }) => isUpdate(item)) : [];
}
