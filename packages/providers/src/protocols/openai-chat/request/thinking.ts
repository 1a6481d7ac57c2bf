import type { ThinkingSetting } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { ModelInfo } from '../../../models/model.ts';
import { thinkingBudget, thinkingLevel } from '../../../models/thinking.ts';
import type { Quirks } from '../traits.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** From the weakest to the strongest; no model's list contains two names of the same strength. */
const STRENGTH: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1,
  low: 2,
  medium: 3,
  default: 3,
  high: 4,
  xhigh: 5,
  max: 6,
};

/**
 * The parameters that ask this model for this much thinking. A model without such a parameter gets none: half of the
 * servers refuse one that they do not know.
 */
export function thinkingParameters(
  setting: ThinkingSetting,
  quirks: Quirks,
  model: Pick<ModelInfo, 'canThink' | 'alwaysThinks'>,
  hasTools: boolean,
): Parameters {
  if (!model.canThink && !model.alwaysThinks) return {};
  const off = model.alwaysThinks ? 'low' : 'off';
  const wanted = thinkingLevel(setting) === 'off' ? off : setting;
  const parameters = inForm(wanted, quirks, model, hasTools);
  return quirks.reasoningFormat === null || wanted === 'off'
    ? parameters
    : { ...parameters, reasoning_format: quirks.reasoningFormat };
}

function inForm(
  setting: ThinkingSetting,
  quirks: Quirks,
  model: Pick<ModelInfo, 'alwaysThinks'>,
  hasTools: boolean,
): Parameters {
  const on = setting !== 'off';
  switch (quirks.thinking) {
    case 'none':
      return {};
    case 'reasoning_effort':
      if ((quirks.toolsNeedNoEffort || quirks.toolsNeedExplicitNone) && hasTools) return { reasoning_effort: 'none' };
      return effort('reasoning_effort', setting, quirks.efforts);
    case 'thinking_type':
      if (!on) return { thinking: { type: 'disabled' } };
      return {
        // A model that always thinks may refuse to be asked.
        ...(!model.alwaysThinks && { thinking: { type: 'enabled', ...keptInside(quirks) } }),
        ...effort('reasoning_effort', setting, quirks.efforts),
      };
    case 'enable_thinking':
      if (!on) return { enable_thinking: false };
      return {
        enable_thinking: true,
        thinking_budget: thinkingBudget(setting),
        ...(quirks.keepsReasoning === 'preserve_thinking' && { preserve_thinking: true }),
      };
    case 'chat_template_kwargs':
      return { chat_template_kwargs: { enable_thinking: on } };
    case 'reasoning_object':
      if (on && typeof setting === 'object') return { reasoning: { max_tokens: thinkingBudget(setting) } };
      // A model that is not known to take `none` may be one that cannot stop, and is refused for being told to.
      if (!on && !quirks.efforts.includes('none')) return {};
      return { reasoning: effort('effort', setting, quirks.efforts) };
  }
}

/** Without these a server drops the reasoning that was sent back to it. */
function keptInside(quirks: Quirks): Parameters {
  if (quirks.keepsReasoning === 'thinking.keep') return { keep: 'all' };
  return quirks.keepsReasoning === 'thinking.clear_thinking' ? { clear_thinking: false } : {};
}

function effort(key: string, setting: ThinkingSetting, efforts: readonly string[]): Parameters {
  const name = effortFor(thinkingLevel(setting), efforts);
  return name === null ? {} : { [key]: name };
}

/** The wanted strength, or the next stronger one that the model knows, or else its strongest. */
function effortFor(level: 'off' | 'low' | 'medium' | 'high', efforts: readonly string[]): string | null {
  const ordered = efforts.toSorted((a, b) => strength(a) - strength(b));
  if (level === 'off') return ordered[0] ?? null;
  const thinking = ordered.filter((name) => strength(name) > 0);
  return thinking.find((name) => strength(name) >= strength(level)) ?? thinking.at(-1) ?? null;
}

function strength(name: string): number {
  return STRENGTH[name] ?? 3;
}

/** Whether the model will think on this request: a server's rules about reasoning depend on it. */
export function isThinking(
  body: Readonly<Record<string, unknown>>,
  quirks: Quirks,
  model: Pick<ModelInfo, 'alwaysThinks'>,
): boolean {
  if (model.alwaysThinks) return true;
  return asked(body, quirks) ?? quirks.thinksByDefault;
}

function asked(body: Readonly<Record<string, unknown>>, quirks: Quirks): boolean | null {
  const thinking = body['thinking'];
  const reasoning = body['reasoning'];
  const template = body['chat_template_kwargs'];
  if (isPlainObject(thinking) && typeof thinking['type'] === 'string') return thinking['type'] !== 'disabled';
  if (typeof body['enable_thinking'] === 'boolean') return body['enable_thinking'];
  if (isPlainObject(template) && typeof template['enable_thinking'] === 'boolean') return template['enable_thinking'];
  if (isPlainObject(reasoning)) return reasoning['enabled'] !== false && reasoning['effort'] !== 'none';
  const named = body['reasoning_effort'];
  return typeof named === 'string' && quirks.thinking === 'reasoning_effort' ? named !== 'none' : null;
}
