import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { isPlainObject } from '@bough/core';
import { claudeTraitsOf } from '@bough/providers';
import type { AssistantModelMessage, ModelMessage } from 'ai';
import { sealOf } from '../metadata/index.ts';
import type { ReplayLine, ReplayReport } from '../report/index.ts';
import { ReportDraft } from '../report/index.ts';
import { readStamp, thoughtsAreIntact } from '../stamp/index.ts';
import type { ModelIdentity, Target, TargetOptions } from '../target/index.ts';
import { targetOf } from '../target/index.ts';
import type { KnownReplies } from './known.ts';
import { restoreReply } from './known.ts';
import { openLoop } from './loop.ts';

export interface EnsureThinkingOptions extends TargetOptions {
  /** The model that will be called. A language model of the AI SDK fits. */
  readonly model: ModelIdentity;
  /** Replies as they were made, from `rememberReplies` or the application's own store. */
  readonly known?: KnownReplies;
  /** The provider options of the request; send the returned ones instead. */
  readonly providerOptions?: SharedV3ProviderOptions;
  /**
   * What to do if the provider demands a thought that is not known: make the request without thinking (the default), or
   * leave out the calls and results that demand it.
   */
  readonly whenUnknown?: 'thinking-off' | 'drop';
}

export interface EnsuredThinking {
  readonly messages: ModelMessage[];
  /** Send these with the messages: they say whether the model thinks. */
  readonly providerOptions: SharedV3ProviderOptions;
  readonly report: ReplayReport;
}

type Reply = AssistantModelMessage & { readonly content: Exclude<AssistantModelMessage['content'], string> };
type Part = Reply['content'][number];

/**
 * Makes sure that every thought in the messages is one that the provider will accept, and that none is missing where
 * one is demanded. Never makes one up: real thoughts are restored if they are known; if not, thinking is switched off
 * for this request or the offending part is left out, and the report says so.
 */
export function ensureThinkingBlocksInModelMessages(
  modelMessages: readonly ModelMessage[],
  options: EnsureThinkingOptions,
): EnsuredThinking {
  const target = targetOf(options.model, options);
  const report = new ReportDraft(modelMessages.map(lineOf));
  const real = modelMessages.flatMap((message, index): Placed[] => {
    if (!isReply(message)) return [{ message, index }];
    const content = withRealThoughts(message.content, index, { target, known: options.known, report });
    return content.length === 0 ? [] : [{ message: { ...message, content }, index }];
  });
  const settled = settleLoop(real, target, options, report);
  return {
    messages: settled.messages.map(({ message }) => message),
    providerOptions: settled.providerOptions,
    report: report.finish(target.lock),
  };
}

interface Placed {
  readonly message: ModelMessage;
  readonly index: number;
}

interface Restoring {
  readonly target: Target;
  readonly known: KnownReplies | undefined;
  readonly report: ReportDraft;
}

function withRealThoughts(content: readonly Part[], index: number, { target, known, report }: Restoring): Part[] {
  const restored =
    known === undefined
      ? null
      : restoreReply<Part>(content, known, ({ text, providerOptions }) => ({
          type: 'reasoning',
          text,
          ...(providerOptions && { providerOptions }),
        }));
  if (restored !== null) {
    const detail = 'as it was made, from the known replies';
    report.note([index], { reason: 'thinking_restored', detail, fidelity: 'verbatim' });
  }
  const whole = restored ?? content;
  const intact = thoughtsAreIntact(whole);
  const kept = whole.filter((part) => part.type !== 'reasoning' || (intact && isReal(part.providerOptions, target)));
  if (kept.length < whole.length) {
    report.note([index], {
      reason: 'thinking_not_replayable',
      detail: 'a thought that this model did not make, that was changed, or that carries no signature, stays out',
      fidelity: kept.length === 0 ? 'dropped' : 'canonical',
    });
  }
  if (restored === null && kept.some((part) => part.type === 'reasoning' && readStamp(part.providerOptions) === null)) {
    const detail = 'the issuer of a signature is taken on trust: nothing says which model made it';
    report.note([index], { reason: 'thinking_unverified', detail, fidelity: 'verbatim' });
  }
  return kept;
}

/** Shorter than any signature; longer than the placeholders that people put in its place. */
const SHORTEST_SEAL = 48;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Made by the target, as far as can be determined: by its stamp, or by a seal of the target's provider that has the
 * right form.
 */
function isReal(options: SharedV3ProviderOptions | undefined, { lock, namespace }: Target): boolean {
  const seal = sealOf(options);
  if (seal === null || seal.namespace !== namespace) return false;
  const stamp = readStamp(options);
  if (stamp !== null) return stamp.provider === lock.provider && stamp.model === lock.model;
  return seal.value.length >= SHORTEST_SEAL && BASE64.test(seal.value);
}

/** With a thinking budget, Claude demands the thought that opened the running tool loop. */
function settleLoop(
  messages: readonly Placed[],
  target: Target,
  { providerOptions = {}, whenUnknown = 'thinking-off' }: EnsureThinkingOptions,
  report: ReportDraft,
): { readonly messages: readonly Placed[]; readonly providerOptions: SharedV3ProviderOptions } {
  const loop = openLoop(messages.map(({ message }) => message));
  if (loop?.lacksThought !== true || !asksForBudget(target, providerOptions)) return { messages, providerOptions };
  if (whenUnknown === 'thinking-off') {
    report.set({
      setting: 'anthropic.thinking',
      detail: 'off for this request: the thought that opened the running tool loop is not known, and none is made up',
      loss: true,
    });
    const anthropic = { ...providerOptions['anthropic'], thinking: { type: 'disabled' } };
    return { messages, providerOptions: { ...providerOptions, anthropic } };
  }
  const dropped = messages.slice(loop.start).filter(({ message }) => message.role !== 'user');
  report.note(
    dropped.map(({ index }) => index),
    {
      reason: 'thinking_not_replayable',
      detail: 'the running tool loop is left out: the thought that opened it is not known, and none is made up',
      fidelity: 'dropped',
    },
  );
  return { messages: messages.filter((placed) => !dropped.includes(placed)), providerOptions };
}

function asksForBudget({ protocol, model }: Target, options: SharedV3ProviderOptions): boolean {
  if (protocol !== 'anthropic-messages' || !claudeTraitsOf(model).thinking.includes('enabled')) return false;
  const thinking: unknown = options['anthropic']?.['thinking'];
  return isPlainObject(thinking) && thinking['type'] === 'enabled';
}

function isReply(message: ModelMessage): message is Reply {
  return message.role === 'assistant' && typeof message.content !== 'string';
}

function lineOf({ role }: ModelMessage, message: number): ReplayLine {
  return { message, role, fidelity: 'verbatim', reasons: [], details: [] };
}
