import type { Protocol } from '../../protocol.ts';
import { readError } from './errors.ts';
import { prepare, renderingKeys, uniqueIds } from './request/index.ts';
import { foldBody, ResponsesFold, toContentBlocks } from './response/index.ts';
import { check } from './rules/index.ts';

/** OpenAI Responses (`POST …/responses`). */
export const openaiResponses: Protocol = {
  id: 'openai-responses',
  prepare,
  uniqueIds,
  renderingKeys,
  createFold: () => new ResponsesFold(),
  foldBody,
  toContentBlocks,
  readError,
  check,
};

export { ruleContext as responsesRuleContext, RULES as responsesRules } from './rules/index.ts';
export type { IssuedItem as ResponsesIssuedItem, RuleContext as ResponsesRuleContext } from './rules/index.ts';
export { readTraits as readResponsesTraits } from './traits.ts';
export type { ResponsesTraits } from './traits.ts';
