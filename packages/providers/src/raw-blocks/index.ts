import type { ContentBlock, RawResponse } from '@bough/core';
import { isReasoningBlock, isThinkingBlock } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import { deploymentKey } from '../deployment.ts';
import { replaysThinking } from '../protocols/replays-thinking.ts';
import { protocolById } from '../protocols/index.ts';

/** raw → canonical: the ordered blocks of a reply; the same raw always gives the same blocks. */
export function buildContentBlocksForProvider(raw: RawResponse): readonly ContentBlock[] {
  return protocolById(raw.api).toContentBlocks(raw);
}

/**
 * raw → context: those of its blocks that are sent back to a deployment and model. To its own issuer a reply returns
 * with the reasoning that the provider takes: signed if it signs, without the text of thoughts if only the signature
 * counts. To any other it returns without reasoning.
 */
export function buildContextBlocksFromRaw(
  raw: RawResponse,
  target: { readonly deployment: Deployment; readonly model: string },
): readonly ContentBlock[] {
  const { deployment, model } = target;
  const blocks = buildContentBlocksForProvider(raw);
  const isIssuer =
    raw.provider === deployment.id && raw.deployment === deploymentKey(deployment) && raw.model === model;
  if (!isIssuer) return blocks.filter((block) => !isReasoningBlock(block));
  switch (raw.api) {
    case 'anthropic-messages':
    case 'openai-responses':
      return blocks.filter((block) => !isThinkingBlock(block) || block.signature !== undefined);
    case 'openai-chat':
      return replaysThinking(deployment, deployment.modelInfo(model))
        ? blocks
        : blocks.filter((block) => !isReasoningBlock(block));
    case 'gemini':
      return blocks.filter((block) => !isThinkingBlock(block));
  }
}
