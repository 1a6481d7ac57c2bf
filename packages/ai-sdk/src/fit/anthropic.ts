import { isPlainObject } from '@bough/core';
import type { ClaudeTraits } from '@bough/providers';
import { claudeTraitsOf } from '@bough/providers';
import { sealOf } from '../metadata/index.ts';
import type { AssistantPart, Outgoing } from '../prompt/parts.ts';
import { isCall } from '../prompt/parts.ts';
import type { ReportDraft } from '../report/index.ts';
import { openLoop } from '../thinking/loop.ts';
import type { RequestDraft, Fit } from './request.ts';
import { askedToContinue, mapReplies, optionsOf, withOptions } from './request.ts';

export const fitAnthropic: Fit = (draft, target, report) => {
  const traits = claudeTraitsOf(target.model);
  let fitted = mapReplies(draft, (content, out) => callsLast(signedOnly(content, out, report), out, report));
  fitted = withoutLastThoughts(fitted, report);
  fitted = withThinkingThatFits(fitted, traits, report);
  fitted = withoutRefusedSampling(fitted, traits, report);
  const continues = traits.prefill && modeOf(fitted, traits) === 'off';
  return continues ? fitted : askedToContinue(fitted, report);
};

type Mode = 'off' | 'manual' | 'on';

/**
 * How the request makes the model think. The AI SDK turns a budget into adaptive thinking if the model takes no budget.
 */
function modeOf({ params }: RequestDraft, traits: ClaudeTraits): Mode {
  const { thinking } = optionsOf(params, 'anthropic');
  const type = isPlainObject(thinking) ? thinking['type'] : typeOfSetting(params, traits);
  if (type === 'disabled') return traits.thinking.includes('disabled') ? 'off' : 'on';
  if (type === 'enabled') return traits.thinking.includes('enabled') ? 'manual' : 'on';
  if (type === undefined) return traits.thinkingDefault;
  return 'on';
}

/** Version 7 of the AI SDK has a setting for all providers, which an option of the provider overrides. */
function typeOfSetting(params: RequestDraft['params'], traits: ClaudeTraits): string | undefined {
  const reasoning = 'reasoning' in params ? params.reasoning : undefined;
  if (reasoning === undefined || reasoning === 'provider-default') return undefined;
  if (reasoning === 'none') return 'disabled';
  return traits.thinking.includes('adaptive') ? 'adaptive' : 'enabled';
}

/**
 * A thought without its signature does not count: the provider would refuse it, and the AI SDK drops it without telling
 * us.
 */
function signedOnly(content: AssistantPart[], { from }: Outgoing, report: ReportDraft): AssistantPart[] {
  const signed = content.filter(
    (part) => part.type !== 'reasoning' || sealOf(part.providerOptions)?.namespace === 'anthropic',
  );
  if (signed.length === content.length) return content;
  report.note(from, { reason: 'thinking_unsigned', detail: 'a thought without its signature stays out' });
  return signed;
}

/** The results must follow the calls immediately: no text may come between them. */
function callsLast(content: AssistantPart[], { from }: Outgoing, report: ReportDraft): AssistantPart[] {
  const firstCall = content.findIndex(isCall);
  if (firstCall < 0 || content.slice(firstCall).every((part) => part.type !== 'text' && part.type !== 'reasoning')) {
    return content;
  }
  report.note(from, { reason: 'calls_put_last', detail: 'calls stand behind what was said' });
  return [...content.filter((part) => !isCall(part)), ...content.filter(isCall)];
}

/**
 * An assistant message never ends with a thought. Neighbouring replies become one message, so only the last of them
 * counts.
 */
function withoutLastThoughts(draft: RequestDraft, report: ReportDraft): RequestDraft {
  const closing = new Set(
    draft.messages
      .filter((_, at) => draft.messages[at + 1]?.message.role !== 'assistant')
      .map(({ message }) => message),
  );
  return mapReplies(draft, (content, { message, from }) => {
    const end = content.findLastIndex((part) => part.type !== 'reasoning') + 1;
    if (!closing.has(message) || end === content.length) return content;
    const detail = 'a thought that led to nothing stays out';
    report.note(from, { reason: 'thinking_not_replayable', detail, fidelity: end === 0 ? 'dropped' : 'canonical' });
    return content.slice(0, end);
  });
}

/**
 * With a thinking budget, the reply that opened the running tool loop must begin with its thought. If that is lost,
 * this request is made without thinking: a thought cannot be made up.
 */
function withThinkingThatFits(draft: RequestDraft, traits: ClaudeTraits, report: ReportDraft): RequestDraft {
  const loop = openLoop(draft.messages.map(({ message }) => message));
  if (modeOf(draft, traits) !== 'manual' || loop?.lacksThought !== true) return draft;
  report.set({
    setting: 'anthropic.thinking',
    detail: 'off for this request: the thought that opened the running tool loop is not known, and none is made up',
    loss: true,
  });
  return { ...draft, params: withOptions(draft.params, 'anthropic', { thinking: { type: 'disabled' } }) };
}

function withoutRefusedSampling(draft: RequestDraft, traits: ClaudeTraits, report: ReportDraft): RequestDraft {
  const { temperature, topP, topK, ...rest } = draft.params;
  const refused =
    traits.sampling !== 'thinking_off' ||
    (modeOf(draft, traits) !== 'off' &&
      ((temperature !== undefined && temperature !== 1) || topK !== undefined || (topP !== undefined && topP < 0.95)));
  const given = Object.entries({ temperature, topP, topK }).filter(([, value]) => value !== undefined);
  if (!refused || given.length === 0) return draft;
  for (const [name] of given)
    report.set({ setting: name, detail: 'left out: the model does not take it here', loss: true });
  return { ...draft, params: rest };
}
