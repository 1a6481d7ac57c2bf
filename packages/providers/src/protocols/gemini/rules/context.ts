import type { ModelInfo } from '../../../models/model.ts';
import type { Finding, Rule } from '../../../rulebook/rule.ts';
import type { GeminiTraits } from '../traits.ts';
import type { ParsedRequest, WireContent, WireRequest } from '../wire.ts';

/** What a rule knows besides the request. */
export interface RuleContext {
  readonly model: Pick<ModelInfo, 'id' | 'known' | 'canSee' | 'canReadPdfs' | 'canHear'>;
  readonly traits: GeminiTraits;
  /** What the replies of the history contained, if available: without it, a loss cannot be detected. */
  readonly replayed?: ReplayedReplies;
}

export interface ReplayedReplies {
  /** The signed parts that must be in the request, each without its signature, as JSON. */
  readonly signed: readonly { readonly signature: string; readonly payload: string }[];
  /** The texts of thoughts, which must not appear in it as text. */
  readonly thoughts: readonly string[];
}

export type GeminiRule = Rule<ParsedRequest, RuleContext>;

export const DOCS = {
  signatures: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
  thinking: 'https://ai.google.dev/gemini-api/docs/thinking',
  functions: 'https://ai.google.dev/gemini-api/docs/function-calling',
  reference: 'https://ai.google.dev/api/generate-content',
} as const;

/** A finding with the status that this API uses for every history error. */
export function finding(path: string, message: string): Finding {
  return { path, message, status: 400 };
}

export function withRequest(parsed: ParsedRequest, change: Partial<WireRequest>): ParsedRequest {
  return { ...parsed, request: { ...parsed.request, ...change } };
}

export function withContents(parsed: ParsedRequest, contents: readonly WireContent[]): ParsedRequest {
  return withRequest(parsed, { contents });
}
