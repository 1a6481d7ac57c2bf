import type { FileLimits } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import type { ModelInfo } from '../models/model.ts';
import { quirksOf } from '../protocols/openai-chat/traits.ts';

/** What one file may be, and what those of a request may come to. */
export interface Limits extends FileLimits {
  /** The types of pictures and of sound that are taken. */
  readonly imageTypes: readonly string[];
  readonly audioTypes: readonly string[];
  /** The longest side of a picture, and its pixels: at least and at most. */
  readonly imageSide?: number;
  readonly fewestPixels?: number;
  readonly mostPixels?: number;
  /** Of one picture, in base64. */
  readonly imageBytes?: number;
  /** Of one document, in bytes. */
  readonly documentBytes?: number;
  /** Of the whole request. */
  readonly requestBytes: number;
}

const MiB = 1024 * 1024;
const COMMON_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MILLION = 1_000_000;

/** What is left for everything that is no file. */
const TEXT_SHARE = 2 * MiB;

/**
 * https://platform.claude.com/docs/en/build-with-claude/vision, …/pdf-support and …/api/errors, as of 2026-11. Fewer
 * with a smaller window.
 */
export function claudeLimits({ contextWindow }: Pick<ModelInfo, 'contextWindow'>): Limits {
  return {
    imageTypes: COMMON_TYPES,
    audioTypes: [],
    images: contextWindow > 200_000 ? 600 : 100,
    pages: contextWindow >= MILLION ? 600 : 100,
    imageSide: 8_000,
    imageBytes: 10 * MiB,
    manyImages: { count: 20, side: 2_000 },
    requestBytes: 32 * MiB,
  };
}

/** https://developers.openai.com/api/docs/guides/file-inputs: 50 MB for all files of a request. */
export const OPENAI_LIMITS: Limits = {
  imageTypes: COMMON_TYPES,
  audioTypes: ['audio/wav', 'audio/mpeg'],
  images: 500,
  documentBytes: 50_000_000,
  requestBytes: 50_000_000,
};

/** https://ai.google.dev/gemini-api/docs/file-input-methods. The smallest limit on inline data that was in force. */
export const GEMINI_LIMITS: Limits = {
  imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  audioTypes: [
    'audio/wav',
    'audio/mpeg',
    'audio/aiff',
    'audio/aac',
    'audio/ogg',
    'audio/flac',
    'audio/m4a',
    // As files of this kind were called once.
    'audio/mp4',
  ],
  images: 3_000,
  pages: 1_000,
  documentBytes: 50_000_000,
  requestBytes: 20 * MiB,
};

/** https://console.groq.com/docs/vision */
const GROQ: Partial<Limits> = { images: 3, mostPixels: 33_177_600, requestBytes: 4 * MiB };
/** https://docs.x.ai/docs/guides/image-understanding */
const XAI: Partial<Limits> = { imageTypes: ['image/png', 'image/jpeg'], imageBytes: 10 * MiB, fewestPixels: 512 };
/** https://docs.mistral.ai/capabilities/vision */
const MISTRAL: Partial<Limits> = { images: 8, imageBytes: 10 * MiB };

/** The limits of a model at a deployment: preflight and the simulator judge by the same ones. */
export function limitsOf(deployment: Pick<Deployment, 'protocol' | 'quirks'>, model: ModelInfo): Limits {
  return withFileBytes(ownLimits(deployment, model));
}

function ownLimits(deployment: Pick<Deployment, 'protocol' | 'quirks'>, model: ModelInfo): Limits {
  switch (deployment.protocol) {
    case 'anthropic-messages':
      return claudeLimits(model);
    case 'openai-responses':
      return OPENAI_LIMITS;
    case 'gemini':
      return GEMINI_LIMITS;
    case 'openai-chat':
      return chatLimits(quirksOf(deployment, model).dialect);
  }
}

export function chatLimits(dialect: string): Limits {
  const others = { ...OPENAI_LIMITS, requestBytes: 20 * MiB };
  switch (dialect) {
    case 'openai':
      return OPENAI_LIMITS;
    case 'groq':
      return { ...others, ...GROQ };
    case 'xai':
      return { ...others, ...XAI };
    case 'mistral':
      return { ...others, ...MISTRAL };
    default:
      return others;
  }
}

function withFileBytes(limits: Limits): Limits {
  return { ...limits, bytes: Math.max(limits.requestBytes / 2, limits.requestBytes - TEXT_SHARE) };
}
