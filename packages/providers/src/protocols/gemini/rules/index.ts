import type { GeminiRule } from './context.ts';
import { FILE_RULES } from './files.ts';
import {
  earlierStepsSigned,
  noThoughtAsText,
  noUnsignedThoughts,
  signaturesInPlace,
  signaturesKept,
} from './keeping.ts';
import { callsFollowUser, everyCallAnswered, responsesFollowCalls, responsesNameTheirCall } from './pairing.ts';
import { endsWithUser, payloadsOfTheRightSide, responsesStandAlone, validRoles } from './roles.ts';
import { contentsWithParts, fieldTypes, knownFields, onePayload, partsWithPayload, someContents } from './shape.ts';
import { base64Signatures, signedServerTools, signedSteps } from './signatures.ts';
import {
  budgetInRange,
  levelWhereSupported,
  oneThinkingControl,
  supportedLevel,
  thinkingStaysOn,
  thinkingWhereSupported,
} from './thinking.ts';
import {
  cacheHoldsTheRest,
  combinedTools,
  configNeedsFunctions,
  fileSearchStandsAlone,
  functionNames,
  objectsHaveProperties,
  oneParameterForm,
  uniqueFunctions,
} from './tools.ts';

export type { GeminiRule, RuleContext } from './context.ts';
export { signedPayload } from './keeping.ts';

/**
 * The rulebook of generateContent. Order matters: a repair may leave a part, a content or a call in a state that a
 * later rule looks at.
 */
export const GEMINI_RULES: readonly GeminiRule[] = [
  knownFields,
  fieldTypes,
  onePayload,
  base64Signatures,
  partsWithPayload,
  contentsWithParts,
  ...FILE_RULES,
  validRoles,
  payloadsOfTheRightSide,
  responsesFollowCalls,
  everyCallAnswered,
  responsesNameTheirCall,
  someContents,
  callsFollowUser,
  responsesStandAlone,
  endsWithUser,
  signedSteps,
  signedServerTools,
  functionNames,
  uniqueFunctions,
  configNeedsFunctions,
  objectsHaveProperties,
  oneParameterForm,
  combinedTools,
  fileSearchStandsAlone,
  cacheHoldsTheRest,
  oneThinkingControl,
  thinkingWhereSupported,
  levelWhereSupported,
  supportedLevel,
  thinkingStaysOn,
  budgetInRange,
  signaturesKept,
  signaturesInPlace,
  earlierStepsSigned,
  noThoughtAsText,
  noUnsignedThoughts,
];
