export type * from './check/index.ts';
export * from './create-provider.ts';
export * from './deployment.ts';
export * from './deployments/index.ts';
// One by one: whoever needs the facts of one vendor should not have to load all of them.
export { anthropic as anthropicDeployment } from './deployments/anthropic.ts';
export { gemini as geminiDeployment } from './deployments/gemini.ts';
export { openai as openaiDeployment } from './deployments/openai.ts';
export { openaiResponsesDeployment } from './deployments/openai-responses.ts';
export * from './deployments/old-issuer.ts';
export { chatLimits, limitsOf } from './files/limits.ts';
export { pdfPages } from './files/measure.ts';
export { nameOf, placeIn, segmentsOf, withNamedPlaces } from './files/place.ts';
export type { Place } from './files/place.ts';
export { filePolicy, takenFileTypes } from './files/policy.ts';
export { jpegBytes, pdfBytes, pngBytes, wavBytes } from './files/samples.ts';
export { sniff } from './files/sniff.ts';
export { filledBody, MissingFileError, placesOf } from './transport/fill/index.ts';
export type { ReadBlob } from './transport/fill/index.ts';
export { MOST_UPLOADED_BYTES } from './transport/upload/index.ts';
export type { Uploaded, UploadedFile } from './transport/upload/index.ts';
export * from './models/cache-habits.ts';
export * from './models/cost.ts';
export type * from './models/facts.ts';
export { createModelLists } from './models/list/index.ts';
export type { ListOptions, ModelLists } from './models/list/index.ts';
export * from './models/lookup.ts';
export type * from './models/model.ts';
export { PRICE_LISTS } from './models/prices.ts';
export { thinkingBudget, thinkingLevel } from './models/thinking.ts';
export * from './prepare-call/index.ts';
export * from './preflight-body/index.ts';
export type * from './protocol.ts';
export { readsThinkingOf as claudeReads } from './protocols/anthropic-messages/models.ts';
export { traitsOf as claudeTraitsOf } from './protocols/anthropic-messages/traits.ts';
export type { ClaudeTraits } from './protocols/anthropic-messages/traits.ts';
export { readRequest as readGeminiRequest } from './protocols/gemini/schema.ts';
export { SIGNATURE_SENTINELS as GEMINI_SENTINELS } from './protocols/gemini/signature.ts';
export { traitsOf as geminiTraitsOf } from './protocols/gemini/traits.ts';
export type { GeminiTraits } from './protocols/gemini/traits.ts';
export type {
  WireContent as GeminiContent,
  WirePart as GeminiPart,
  WireRequest as GeminiRequest,
} from './protocols/gemini/wire.ts';
export { continuesResponses } from './protocols/openai-responses/traits.ts';
export { readResponsesTraits, responsesRuleContext, responsesRules } from './protocols/openai-responses/index.ts';
export type { ResponsesIssuedItem, ResponsesRuleContext, ResponsesTraits } from './protocols/openai-responses/index.ts';
export { PROTOCOLS, protocolById } from './protocols/index.ts';
export { makesSummaries, summaryTextIn } from './protocols/own-summaries.ts';
export { takesSystemInPlace, takesToolChanges } from './protocols/system-in-place.ts';
export { withFacts } from './protocols/with-facts.ts';
export * from './provider-tools/index.ts';
export type * from './provider.ts';
export * from './raw-blocks/index.ts';
export { createRedactor, isSecretHeader, redactHeaders } from './errors/index.ts';
export * from './rulebook/rule.ts';
export { eventsIn, readKept } from './framing/index.ts';
export { listenToReply } from './transport/listen/index.ts';
export type { ListenerInput, ReplyListener } from './transport/listen/index.ts';
export type {
  Clock,
  Forwarded,
  ForwardedBody,
  ForwardedPiece,
  ForwardInput,
  TransportOptions,
} from './transport/index.ts';
export { isSecretName, MissingSecretError } from './secrets/index.ts';
export type { SecretOf } from './secrets/index.ts';
