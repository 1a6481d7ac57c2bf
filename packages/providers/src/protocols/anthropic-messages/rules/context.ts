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
  /** The value of the `anthropic-version` header. */
  readonly version: string;
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

export type Headers = Readonly<Record<string, string | undefined>>;

/** The version of a request that names none: what compatible servers speak. */
const FIRST_VERSION = '2023-06-01';

/** What headers say about how a body is read; each of `all` counts before those in front of it, betas add up. */
export function headerContext(...all: readonly Headers[]): Pick<RuleContext, 'betas' | 'version'> {
  const values = (name: string): readonly string[] =>
    all.flatMap((headers) =>
      Object.entries(headers).flatMap(([key, value]) =>
        key.toLowerCase() === name && value !== undefined ? [value] : [],
      ),
    );
  const betas = values('anthropic-beta').flatMap((value) => value.split(',').map((beta) => beta.trim()));
  return {
    betas: [...new Set(betas)].filter((beta) => beta !== ''),
    version: values('anthropic-version').at(-1) ?? FIRST_VERSION,
  };
}

/** Versions are dates: whether a request is read by the rules of this one or a later one. */
export const isSince = (version: string, date: string): boolean => version >= date;

export type ClaudeRule = Rule<Body, RuleContext>;

export function finding(path: string, message: string, status = 400): Finding {
  return { path, message, status };
}

/** A refusal that clients recognise by its code: its sentence may change. */
export function coded(errorCode: string, path: string, message: string): Finding {
  return { ...finding(path, message), errorCode };
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
  version: 'https://platform.claude.com/docs/en/api/migration-2026-10-21',
  betas: 'https://platform.claude.com/docs/en/api/beta-headers',
  system: 'https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages',
  programmatic: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling',
  toolSearch: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool',
  serverTools: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools',
  webSearch: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool',
  webRestrictions: 'https://platform.claude.com/docs/en/managed-agents/tools-web-restrictions',
  citations: 'https://platform.claude.com/docs/en/build-with-claude/citations',
  advisor: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool',
  mcp: 'https://platform.claude.com/docs/en/agents-and-tools/mcp-connector',
  caching: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
  compaction: 'https://platform.claude.com/docs/en/build-with-claude/compaction',
  fable52: 'https://platform.claude.com/docs/en/models/fable-5-2/whats-new-fable-5-2',
  types: 'npm @anthropic-ai/sdk 1.8.0, resources/messages/messages.d.ts',
  betaTypes: 'npm @anthropic-ai/sdk 1.8.0, resources/beta/messages/messages.d.ts',
} as const;
