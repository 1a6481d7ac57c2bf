import type { AttachedBlock, AudioBlock, DocumentBlock, ImageBlock } from '@bough/core';
import { estimateFileTokens } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import type { ModelInfo } from '../models/model.ts';

/** What a file costs, by the vendors' own formulas. */
export function fileTokens(block: AttachedBlock, deployment: Pick<Deployment, 'protocol'>, model: ModelInfo): number {
  switch (block.type) {
    case 'image':
      return imageTokens(block, deployment, model);
    case 'document':
      return documentTokens(block, deployment, model);
    case 'audio':
      return audioTokens(block);
    case 'file':
      return estimateFileTokens(block);
  }
}

function imageTokens(image: ImageBlock, { protocol }: Pick<Deployment, 'protocol'>, model: ModelInfo): number {
  switch (protocol) {
    case 'anthropic-messages':
      return claudeImage(image, model);
    case 'gemini':
      return GEMINI_IMAGE;
    case 'openai-responses':
    case 'openai-chat':
      return openaiImage(image);
  }
}

const CLAUDE_PATCH = 28;

/**
 * https://platform.claude.com/docs/en/build-with-claude/vision: patches of 28 pixels, downscaled to 2,576 pixels and
 * 4,784 tokens by models with a large window, to 1,568 of both by the others.
 */
function claudeImage({ width, height }: ImageBlock, { contextWindow }: ModelInfo): number {
  const [side, most] = contextWindow > 200_000 ? [2_576, 4_784] : [1_568, 1_568];
  const scale = Math.min(1, side / Math.max(width, height, 1));
  const patches = Math.ceil((width * scale) / CLAUDE_PATCH) * Math.ceil((height * scale) / CLAUDE_PATCH);
  return Math.max(1, Math.min(patches, most));
}

/** https://ai.google.dev/gemini-api/docs/media-resolution: what a picture costs without a setting. */
const GEMINI_IMAGE = 1_120;
const GEMINI_PAGE = 560;

const OPENAI_PATCH = 32;
const OPENAI_MOST = 1_536;
/** The smaller models count each patch more than once. */
const OPENAI_FACTOR = 1.62;

/** https://developers.openai.com/api/docs/guides/images-vision: patches of 32 pixels, 1,536 at most. */
function openaiImage({ width, height }: ImageBlock): number {
  const patches = Math.ceil(width / OPENAI_PATCH) * Math.ceil(height / OPENAI_PATCH);
  return Math.ceil(Math.max(1, Math.min(patches, OPENAI_MOST)) * OPENAI_FACTOR);
}

/** A page is read as its text and as a picture. */
const PAGE_TEXT = 2_250;

function documentTokens(block: DocumentBlock, { protocol }: Pick<Deployment, 'protocol'>, model: ModelInfo): number {
  const pages = block.pages ?? 1;
  if (protocol === 'gemini') return pages * GEMINI_PAGE;
  const page: ImageBlock = { ...block, type: 'image', width: 1_240, height: 1_754 };
  const text = block.text === undefined ? pages * PAGE_TEXT : Math.ceil(block.text.characters * 0.3);
  return text + pages * imageTokens(page, { protocol }, model);
}

const TOKENS_PER_SECOND = 32;
/** For sound whose length is unknown: as if it were a minute for every megabyte. */
const SECONDS_PER_BYTE = 60 / 1_000_000;

/** https://ai.google.dev/gemini-api/docs/audio */
function audioTokens({ seconds, file }: AudioBlock): number {
  return Math.ceil((seconds ?? file.size * SECONDS_PER_BYTE) * TOKENS_PER_SECOND);
}
