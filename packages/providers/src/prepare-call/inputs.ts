import type { AssembledContext, AssemblyOptions } from '@bough/core';
import { clampMaxTokens } from '@bough/core';
import { filePolicy } from '../files/policy.ts';
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
    ...(target.providerTools === undefined ? {} : { providerTools: target.providerTools }),
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
    choices: target.choices,
    summary: target.summary?.map(({ id }) => id),
    earlierSummaries: target.earlierSummaries,
    files: filePolicy(provider.deployment, info, target.filesOtherwise),
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
  head?: string,
): ProviderInput {
  const summary = target.summary?.at(-1)?.id;
  return {
    items: context.items,
    systemPrompt: context.systemPrompt,
    tools: context.tools,
    ...(target.providerTools === undefined ? {} : { providerTools: target.providerTools }),
    ...(target.mayUseContainers === undefined ? {} : { mayUseContainers: target.mayUseContainers }),
    ...(target.containerFiles === undefined ? {} : { containerFiles: target.containerFiles }),
    ...(target.mayBringFiles === undefined ? {} : { mayBringFiles: target.mayBringFiles }),
    ...(target.summarise === undefined ? {} : { summarise: target.summarise }),
    ...(summary === undefined ? {} : { summary }),
    ...(head === undefined ? {} : { head }),
    toolChoice: target.toolChoice ?? 'auto',
    thinking: target.thinking,
    maxTokens,
    stream: target.stream ?? true,
    model: target.model,
    rawOf: sources.rawOf,
    ...(sources.renderingOf === undefined ? {} : { renderingOf: sources.renderingOf }),
    previousResponse: sources.previousResponse,
    ...(sources.comparedWith === undefined ? {} : { comparedWith: sources.comparedWith }),
    ...(sources.cacheKey === undefined ? {} : { cacheKey: sources.cacheKey }),
  };
}
