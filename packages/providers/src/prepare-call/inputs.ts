import type { AssembledContext, AssemblyOptions } from '@bough/core';
import { clampMaxTokens } from '@bough/core';
import type { ProviderInput } from '../provider.ts';
import type { CallSources, CallTarget } from './index.ts';
import { replaysThinking } from '../protocols/replays-thinking.ts';
import { takesSystemInPlace, takesToolChanges } from '../protocols/system-in-place.ts';
import { takesReplyOf } from '../protocols/takes-replies.ts';

/** The share of the window that is kept free for an answer if the model would take more. */
const MOST_RESERVED = 1 / 4;

export function assemblyOptions(target: CallTarget, sources: CallSources): AssemblyOptions {
  const { provider, model } = target;
  const info = provider.modelInfo(model);
  return {
    lock: { provider: provider.deployment.id, model },
    replayBy: target.replayBy ?? 'issuer',
    takes: (maker) => {
      const taken = takesReplyOf(maker, provider.deployment, info);
      return taken === 'all' && target.mayShareReasoning === false ? 'reply' : taken;
    },
    systemPrompt: target.systemPrompt,
    tools: target.tools,
    hasRaw: (node) => sources.rawOf(node) !== undefined,
    ...(sources.lockOf === undefined ? {} : { lockOf: sources.lockOf }),
    limits: info,
    // Whatever a single request asks for: otherwise its limit would move the cut, and the prefix with it.
    reserveTokens: Math.floor(Math.min(info.maxOutputTokens, info.contextWindow * MOST_RESERVED)),
    bindsThinkingToPrefix: info.bindsThinkingToPrefix,
    replaysThinking: replaysThinking(provider.deployment, info),
    keepToolsAfterBreak: target.keepToolsAfterBreak ?? false,
    systemInPlace: takesSystemInPlace(provider.deployment, info),
    toolChanges: takesToolChanges(provider.deployment, info),
  };
}

/** The most that is asked for, after every limit. */
export function mostTokens(target: CallTarget, inputTokens: number): number {
  const limits = target.provider.modelInfo(target.model);
  const { maxTokens: requested, failEarly = false } = target;
  return clampMaxTokens({ requested, inputTokens, limits, failEarly });
}

export function renderInput(
  context: Pick<AssembledContext, 'items' | 'systemPrompt' | 'tools'>,
  maxTokens: number,
  target: CallTarget,
  sources: CallSources,
): ProviderInput {
  return {
    items: context.items,
    systemPrompt: context.systemPrompt,
    tools: context.tools,
    toolChoice: target.toolChoice ?? 'auto',
    thinking: target.thinking,
    maxTokens,
    stream: target.stream ?? true,
    model: target.model,
    rawOf: sources.rawOf,
    ...(sources.renderingOf === undefined ? {} : { renderingOf: sources.renderingOf }),
    previousResponse: sources.previousResponse,
  };
}
