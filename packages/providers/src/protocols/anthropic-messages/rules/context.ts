import type { ModelInfo } from '../../../models/model.ts';
import type { Finding, Rule } from '../../../rulebook/rule.ts';
import type { ClaudeTraits } from '../traits.ts';
import type { Body } from '../wire.ts';

/** What a rule knows besides the body. */
export interface RuleContext {
  readonly model: ModelInfo;
  readonly traits: ClaudeTraits;
  /** The values of the `anthropic-beta` header. */
  readonly betas: readonly string[];
  /**
   * What the builder meant to send; only the builder knows, so only preflight can notice that something went missing.
   */
  readonly expected?: {
    /** Signatures and redacted data, in order. */
    readonly reasoning: readonly string[];
    /** The readable texts of those thoughts. */
    readonly thoughts: readonly string[];
  };
  /** The request before this one on the same branch. */
  readonly previous?: Body;
}

export type ClaudeRule = Rule<Body, RuleContext>;

export function finding(path: string, message: string, status = 400): Finding {
  return { path, message, status };
}

// Pages that several rules refer to.
export const DOCS = {
  errors: 'https://platform.claude.com/docs/en/api/errors',
  thinking: 'https://platform.claude.com/docs/en/build-with-claude/thinking',
  manual: 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking',
  preserved: 'https://platform.claude.com/docs/en/build-with-claude/preserved-thinking',
  troubleshooting: 'https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting',
  toolCalls: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls',
  toolTroubles: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/troubleshooting-tool-use',
  fallback: 'https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback',
  sonnet55: 'https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5',
  haiku55: 'https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide',
  effort: 'https://platform.claude.com/docs/en/build-with-claude/effort',
  types: 'npm @anthropic-ai/sdk 1.8.0, resources/messages/messages.d.ts',
} as const;
