import { isPlainObject } from '@bough/core';
import type { ModelInfo } from '../../models/model.ts';

export const THINKING_TYPES = ['enabled', 'adaptive', 'disabled', 'between_tools'] as const;
export type ThinkingType = (typeof THINKING_TYPES)[number];
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** What Claude models differ in accepting. Declared once per model in the catalogue, never inferred from a name. */
export interface ClaudeTraits {
  /** The values of `thinking.type` that the model takes. Empty if unknown: then none is sent. */
  readonly thinking: readonly ThinkingType[];
  /** What happens when `thinking` is left out. */
  readonly thinkingDefault: 'on' | 'off';
  /** What is returned as the text of a thought when no `display` is asked for. */
  readonly displayDefault: 'omitted' | 'summarized';
  /** The values of `output_config.effort` that the model takes. */
  readonly effort: readonly Effort[];
  /** How the model reacts to a `tool_choice` that forces a call. */
  readonly forcedToolChoice: 'accepted' | 'rejected' | 'rejected_in_manual_mode' | 'rejected_while_thinking';
  /** Whether the last message may be the assistant's, to be continued (only with thinking off). */
  readonly prefill: boolean;
  readonly sampling: 'rejected' | 'fixed' | 'thinking_off';
  /** Which accounts have their thinking checked against the prefix that it was made after. */
  readonly prefixCheck: 'every_account' | 'new_accounts' | 'none';
  /** Whether `messages` may hold messages of the role `system`. */
  readonly systemMessages: boolean;
  /** Types of tools that the model refuses, and the models that may advise it; absent if there is no such limit. */
  readonly refusedTools?: readonly string[];
  readonly advisors?: readonly string[];
  /** False if code of the model cannot call tools. */
  readonly runsPrograms?: false;
  /** Whether the model thinks between tools in manual mode: once a header asks for it, or not at all. */
  readonly interleaves: 'by_header' | 'never';
  /** Catalogue ids whose thinking this model can read; what it cannot read is dropped silently. */
  readonly reads: readonly string[];
}

/**
 * For a model that the catalogue does not list: nothing is sent that some model refuses, and its thinking is treated as
 * bound to its prefix, because that is what new models do.
 */
export const CONSERVATIVE: ClaudeTraits = {
  thinking: [],
  thinkingDefault: 'on',
  displayDefault: 'omitted',
  effort: [],
  forcedToolChoice: 'accepted',
  prefill: false,
  sampling: 'rejected',
  prefixCheck: 'every_account',
  systemMessages: false,
  interleaves: 'never',
  reads: [],
};

const KEY = 'claude';

export function withTraits(traits: ClaudeTraits): ModelInfo['traits'] {
  return { [KEY]: traits };
}

export function traitsOf(model: Pick<ModelInfo, 'traits'>): ClaudeTraits {
  const traits = model.traits[KEY];
  return isClaudeTraits(traits) ? traits : CONSERVATIVE;
}

const SHAPE = Object.entries(CONSERVATIVE);

function isClaudeTraits(value: unknown): value is ClaudeTraits {
  return isPlainObject(value) && SHAPE.every(([key, example]) => typeof value[key] === typeof example);
}
