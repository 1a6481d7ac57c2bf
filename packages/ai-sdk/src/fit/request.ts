import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { isPlainObject } from '@bough/core';
import type { AssistantPart, Outgoing } from '../prompt/parts.ts';
import type { ReportDraft } from '../report/index.ts';
import type { Target } from '../target/index.ts';

/** A request in preparation: what will be said, and its settings. */
export interface RequestDraft {
  readonly messages: readonly Outgoing[];
  readonly params: LanguageModelV3CallOptions;
}

/** Turns a request into one that its target accepts, and reports what it does. */
export type Fit = (draft: RequestDraft, target: Target, report: ReportDraft) => RequestDraft;

export function mapReplies(
  draft: RequestDraft,
  change: (content: AssistantPart[], out: Outgoing) => AssistantPart[],
): RequestDraft {
  return {
    ...draft,
    messages: draft.messages.flatMap((out): Outgoing[] => {
      if (out.message.role !== 'assistant') return [out];
      const content = change(out.message.content, out);
      if (content === out.message.content) return [out];
      return content.length === 0 ? [] : [{ ...out, message: { ...out.message, content } }];
    }),
  };
}

/** The options that the caller gave for a provider. */
export function optionsOf(params: LanguageModelV3CallOptions, namespace: string): Readonly<Record<string, unknown>> {
  const options: unknown = params.providerOptions?.[namespace];
  return isPlainObject(options) ? options : {};
}

export function withOptions(
  params: LanguageModelV3CallOptions,
  namespace: string,
  change: NonNullable<LanguageModelV3CallOptions['providerOptions']>[string],
): LanguageModelV3CallOptions {
  const before = params.providerOptions?.[namespace];
  return { ...params, providerOptions: { ...params.providerOptions, [namespace]: { ...before, ...change } } };
}

/** Added if a reply comes last and the provider requires a user message there: the words that Bough's rulebook uses. */
export const GO_ON = 'Continue.';

export function askedToContinue(draft: RequestDraft, report: ReportDraft): RequestDraft {
  const last = draft.messages.at(-1);
  if (last?.message.role !== 'assistant') return draft;
  const detail = `the request ended with a reply, so the user says “${GO_ON}”`;
  report.note(last.from, { reason: 'asked_to_continue', detail, fidelity: 'verbatim' });
  const asking: Outgoing = { message: { role: 'user', content: [{ type: 'text', text: GO_ON }] }, from: [] };
  return { ...draft, messages: [...draft.messages, asking] };
}
