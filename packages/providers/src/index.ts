export * from './create-provider.ts';
export * from './deployment.ts';
export * from './deployments/index.ts';
export * from './deployments/old-issuer.ts';
export * from './models/cost.ts';
export type * from './models/facts.ts';
export { createModelLists } from './models/list/index.ts';
export type { ListOptions, ModelLists } from './models/list/index.ts';
export * from './models/lookup.ts';
export type * from './models/model.ts';
export { thinkingBudget, thinkingLevel } from './models/thinking.ts';
export * from './prepare-call/index.ts';
export * from './preflight-body/index.ts';
export type * from './protocol.ts';
export { readsThinkingOf as claudeReads } from './protocols/anthropic-messages/models.ts';
export { traitsOf as claudeTraitsOf } from './protocols/anthropic-messages/traits.ts';
export type { ClaudeTraits } from './protocols/anthropic-messages/traits.ts';
export {
  readRequest as readGeminiRequest,
  SIGNATURE_SENTINELS as GEMINI_SENTINELS,
  traitsOf as geminiTraitsOf,
} from './protocols/gemini/index.ts';
export type {
  GeminiTraits,
  WireContent as GeminiContent,
  WirePart as GeminiPart,
  WireRequest as GeminiRequest,
} from './protocols/gemini/index.ts';
export { continuesResponses } from './protocols/openai-responses/traits.ts';
export { readResponsesTraits, responsesRuleContext, responsesRules } from './protocols/openai-responses/index.ts';
export type { ResponsesIssuedItem, ResponsesRuleContext, ResponsesTraits } from './protocols/openai-responses/index.ts';
export { PROTOCOLS, protocolById } from './protocols/index.ts';
export { takesSystemInPlace, takesToolChanges } from './protocols/system-in-place.ts';
export { withFacts } from './protocols/with-facts.ts';
export type * from './provider.ts';
export * from './raw-blocks/index.ts';
export { createRedactor, isSecretHeader, redactHeaders } from './errors/index.ts';
export * from './rulebook/rule.ts';
export { eventsIn, readKept } from './framing/index.ts';
export type { Clock, TransportOptions } from './transport/index.ts';
export { createPublicFetch, isPrivateHost } from './transport/public-fetch/index.ts';
