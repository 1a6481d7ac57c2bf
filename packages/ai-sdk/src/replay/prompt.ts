import type { LanguageModelV3CallOptions, LanguageModelV3Prompt, LanguageModelV3ReasoningPart } from '@ai-sdk/provider';
import type { AssembledContext, Lock, MadeWith, ReplayBy, ToolDefinition } from '@bough/core';
import { assembleContext, isPlainObject } from '@bough/core';
import { fitToTarget } from '../fit/index.ts';
import type { AssistantPrompt } from '../prompt/parts.ts';
import { isThoughtFile } from '../prompt/parts.ts';
import type { PromptPath } from '../prompt/path.ts';
import { pathOfPrompt } from '../prompt/path.ts';
import { renderItems } from '../prompt/render.ts';
import type { ReplayLine, ReplayReport } from '../report/index.ts';
import { ReportDraft } from '../report/index.ts';
import type { Origin } from '../stamp/index.ts';
import { stampOf, thoughtsAreIntact } from '../stamp/index.ts';
import type { Target } from '../target/index.ts';
import type { KnownReplies, ReasoningPart } from '../thinking/known.ts';
import { restoreReply } from '../thinking/known.ts';

export interface ReplayRules {
  /** Replies as they were made: used to restore what the application lost of them. */
  readonly known?: KnownReplies;
  /** Vouches for replies that carry no stamp, such as those made before this bridge was in place. Null: not known. */
  readonly issuerOf?: (reply: AssistantPrompt, index: number) => Lock | null;
  /** `break` sends everything up to the newest reply of another model as text, its own replies too. */
  readonly replayBy?: ReplayBy;
  /** Keeps tool calls structured across a change of model, instead of sending them as text. */
  readonly keepToolsAfterBreak?: boolean;
  /** Sends the readable thoughts of other models as labelled text, instead of leaving them out. */
  readonly thinkingAsText?: boolean;
}

export interface Replayed {
  readonly params: LanguageModelV3CallOptions;
  readonly report: ReplayReport;
  /** Null if the model does not bind its thinking: then it is not needed. */
  readonly madeWith: MadeWith | null;
}

/** From the application's prompt to one that the target accepts: restored, decided by Bough's rules, fitted. */
export function replay(params: LanguageModelV3CallOptions, target: Target, rules: ReplayRules): Replayed {
  const { prompt, restored, damaged } = restore(params.prompt, rules.known);
  const isOwn = (maker: Lock | null): boolean =>
    maker !== null && maker.provider === target.lock.provider && maker.model === target.lock.model;
  const { bindsThinkingToPrefix } = target.model;
  const promptPath = pathOfPrompt(prompt, {
    originOf: (reply, index) => stampOf(reply.content) ?? vouchedFor(rules.issuerOf?.(reply, index)),
    asText: (origin) => rules.thinkingAsText === true && !isOwn(origin),
    stableIds: bindsThinkingToPrefix,
  });
  const context = assembleContext(promptPath.path, {
    lock: target.lock,
    replayBy: rules.replayBy ?? 'issuer',
    systemPrompt: null,
    tools: toolsOf(params),
    hasRaw: () => true,
    limits: null,
    reserveTokens: 0,
    bindsThinkingToPrefix,
    // The parts of a reply go back whole; fitting leaves out what the target does not accept.
    replaysThinking: true,
    keepToolsAfterBreak: rules.keepToolsAfterBreak ?? false,
    systemInPlace: false,
    toolChanges: false,
  });
  const report = new ReportDraft(linesOf(context, promptPath));
  report.note(restored, {
    reason: 'thinking_restored',
    detail: 'as it was made, from the known replies',
    fidelity: 'verbatim',
  });
  report.note(damaged, {
    reason: 'thinking_damaged',
    detail: 'its thoughts are not those that were made with it, so none is sent',
  });
  const messages = renderItems(context.items, prompt, promptPath, report);
  const fitted = fitToTarget({ messages, params }, target, report);
  return {
    params: { ...fitted.params, prompt: fitted.messages.map(({ message }) => message) },
    report: report.finish(target.lock),
    madeWith: bindsThinkingToPrefix ? context.madeWith : null,
  };
}

interface Restored {
  readonly prompt: LanguageModelV3Prompt;
  readonly restored: readonly number[];
  /** Replies whose thoughts were changed or partly lost on the way: providers accept all of them unchanged, or none. */
  readonly damaged: readonly number[];
}

function restore(prompt: LanguageModelV3Prompt, known: KnownReplies | undefined): Restored {
  const restored: number[] = [];
  const damaged: number[] = [];
  const whole = prompt.map((message, index) => {
    if (message.role !== 'assistant') return message;
    const real = known === undefined ? null : restoreReply(message.content, known, reasoningPart);
    if (real !== null) restored.push(index);
    const content = real ?? message.content;
    if (thoughtsAreIntact(content)) return real === null ? message : { ...message, content: [...content] };
    damaged.push(index);
    return { ...message, content: content.filter((part) => part.type !== 'reasoning' && !isThoughtFile(part)) };
  });
  return { prompt: whole, restored, damaged };
}

function reasoningPart({ text, providerOptions }: ReasoningPart): LanguageModelV3ReasoningPart {
  return { type: 'reasoning', text, ...(providerOptions && { providerOptions }) };
}

function vouchedFor(maker: Lock | null | undefined): Origin | null {
  return maker == null ? null : { ...maker, madeWith: null };
}

function toolsOf({ tools = [] }: LanguageModelV3CallOptions): readonly ToolDefinition[] {
  return tools.map((tool) =>
    tool.type === 'function'
      ? { name: tool.name, description: tool.description ?? '', inputSchema: objectOf(tool.inputSchema) }
      : { name: tool.name, description: tool.id, inputSchema: tool.args },
  );
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}

function linesOf({ report }: AssembledContext, { places }: PromptPath): readonly ReplayLine[] {
  return report.flatMap(({ nodeId, fidelity, reasons }) => {
    const place = places.get(nodeId);
    if (place === undefined) return [];
    const { index: message, result } = place;
    const call = result === undefined ? {} : { toolCallId: result.toolCallId };
    return [{ message, role: place.message.role, ...call, fidelity, reasons, details: [] }];
  });
}
