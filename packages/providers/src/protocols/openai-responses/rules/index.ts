import type { Deployment } from '../../../deployment.ts';
import type { ModelInfo } from '../../../models/model.ts';
import type { Violation } from '../../../rulebook/rule.ts';
import { bodyHasItsShape } from '../schema.ts';
import { objectOf } from '../wire.ts';
import { callHasItsReasoning, messageHasItsReasoning, reasoningHasItsFollower } from './atoms.ts';
import { compactionTriggerIsLast, oneKindOfState, onlyNewItemsInAChain } from './chain.ts';
import type { ResponsesRule } from './context.ts';
import { ruleContext } from './context.ts';
import { FILE_RULES } from './files.ts';
import { hostedToolsAreComplete, leastEffortStandsAlone, modelRunsTools } from './hosted.ts';
import { idsAreShort, idsAreUnique, idsHaveTheirPrefix } from './ids.ts';
import { noReasoningAsText, phaseIsKept, reasoningStaysInTheLoop } from './losses.ts';
import { noUpdateInProMode } from './configuration.ts';
import * as pairing from './pairing.ts';
import * as parameters from './parameters.ts';
import * as reasoning from './reasoning.ts';
import { programIsWhole } from './programs.ts';
import { callHasItsNamespace, namesAreAccepted, schemaHasProperties } from './tools.ts';

export type { IssuedItem, ResponsesRule, RuleContext } from './context.ts';
export { issuedItems, ruleContext } from './context.ts';

/**
 * In the order in which they are checked and repaired: first single items, then what is missing or stray, then ids, and
 * finally the atoms, which earlier repairs may have broken.
 */
export const RULES: readonly ResponsesRule[] = [
  reasoning.summaryIsThere,
  bodyHasItsShape,
  reasoning.noStatusOnReasoning,
  reasoning.noPlainReasoning,
  reasoning.nothingByReference,
  reasoning.encryptedContentIsEncrypted,
  ...FILE_RULES,
  idsAreUnique,
  idsHaveTheirPrefix,
  idsAreShort,
  programIsWhole,
  pairing.callIsAnswered,
  pairing.resultHasItsCall,
  pairing.resultHasItsType,
  pairing.approvalHasItsRequest,
  pairing.safetyIsAcknowledged,
  reasoningHasItsFollower,
  callHasItsReasoning,
  messageHasItsReasoning,
  oneKindOfState,
  compactionTriggerIsLast,
  noUpdateInProMode,
  parameters.reasoningIsKnownToTheModel,
  parameters.effortIsSupported,
  parameters.allTurnsIsSupported,
  parameters.noSamplingWhileReasoning,
  parameters.enoughOutputTokens,
  parameters.encryptedReasoningIsKnown,
  parameters.retentionIsSupported,
  schemaHasProperties,
  namesAreAccepted,
  modelRunsTools,
  hostedToolsAreComplete,
  leastEffortStandsAlone,
  onlyNewItemsInAChain,
  parameters.encryptedReasoningIsAskedFor,
  reasoning.reasoningSaysSomething,
  phaseIsKept,
  reasoningStaysInTheLoop,
  noReasoningAsText,
  callHasItsNamespace,
];

/** Runs the rulebook on a finished body, whatever it is, and changes nothing. */
export function check(body: unknown, model: ModelInfo, deployment: Deployment): readonly Violation[] {
  const context = ruleContext(model, deployment);
  const parsed = objectOf(body) ?? {};
  return RULES.flatMap((rule) =>
    rule.check(parsed, context).map((finding) => ({ ...finding, rule: rule.id, kind: rule.kind, repaired: false })),
  );
}
