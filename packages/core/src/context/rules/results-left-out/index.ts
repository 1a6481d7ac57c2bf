import { messageOf } from '../../../messages/index.ts';
import type { ContextRule } from '../../assembly.ts';
import { isResult, KEEP, mapDrafts, replace, withItem } from '../../assembly.ts';

/** What the model reads in the place of a result that a person left out. */
export const RESULT_LEFT_OUT = '[The result was left out.]';

/** A result that a person left out becomes a short sentence: its call stays, and needs a result with every provider. */
export const resultsLeftOut: ContextRule = {
  name: 'results-left-out',
  apply: (assembly, { choices = {} }) =>
    mapDrafts(assembly, (draft) => {
      if (!isResult(draft) || draft.item.synthetic || choices[draft.node.id] !== 'leave_out') return KEEP;
      const message = messageOf('tool', [{ type: 'text', text: RESULT_LEFT_OUT }], draft.item.message.tool_call_id);
      return replace(withItem(draft, { message, synthetic: true }), 'result_left_out', 'canonical');
    }),
};
