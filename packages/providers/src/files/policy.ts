import type { AttachedBlock, FilePolicy, FilesOtherwise, FileWhere, ImageBlock, ProtocolId } from '@bough/core';
import { base64Length, estimateTextTokens } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import type { ModelInfo } from '../models/model.ts';
import { quirksOf } from '../protocols/openai-chat/traits.ts';
import type { Limits } from './limits.ts';
import { limitsOf } from './limits.ts';
import { fileTokens } from './tokens.ts';

/** What a model at a deployment does with files: what it takes, how much of it, and what that costs. */
export function filePolicy(deployment: Deployment, model: ModelInfo, otherwise: FilesOtherwise = 'text'): FilePolicy {
  const limits = limitsOf(deployment, model);
  const types = takenFileTypes(deployment, model);
  const isKnown = (block: AttachedBlock): boolean =>
    block.type === 'file' ? block.text !== undefined : types.includes(block.file.mediaType);
  return {
    takes: (block, where) => isKnown(block) && fits(block, limits) && takesThere(block, where, deployment, model),
    limits,
    tokens: (block) =>
      block.type === 'file' ? estimateTextTokens(block.text?.characters ?? 0) : fileTokens(block, deployment, model),
    otherwise,
  };
}

/** Those whose messages have a form for sound, besides chat: a model that hears gets a line all the same elsewhere. */
const HEARING: ReadonlySet<ProtocolId> = new Set(['gemini']);

/** The parts of a chat message that bring files. */
const PARTS = { image: 'image_url', document: 'file', audio: 'input_audio' } as const;

/**
 * The media types of the files that a model takes in a message; files that are text go as text to every model. What
 * nobody said about a model, it is not asked to do: a file that is refused costs the turn.
 */
export function takenFileTypes(deployment: Deployment, model: ModelInfo): readonly string[] {
  const { imageTypes, audioTypes } = limitsOf(deployment, model);
  const has = (kind: keyof typeof PARTS): boolean =>
    deployment.protocol === 'openai-chat'
      ? quirksOf(deployment, model).contentParts.includes(PARTS[kind])
      : kind !== 'audio' || HEARING.has(deployment.protocol);
  return [
    ...(model.canSee === true && has('image') ? imageTypes : []),
    ...(model.canReadPdfs === true && has('document') ? ['application/pdf'] : []),
    ...(model.canHear === true && has('audio') ? audioTypes : []),
  ];
}

function fits(block: AttachedBlock, limits: Limits): boolean {
  switch (block.type) {
    case 'image':
      return fitsImage(block, limits);
    case 'document':
      return block.file.size <= (limits.documentBytes ?? Infinity) && block.file.size > 0;
    case 'audio':
      return block.file.size > 0;
    case 'file':
      return true;
  }
}

function fitsImage({ file, width, height }: ImageBlock, limits: Limits): boolean {
  return (
    file.size > 0 &&
    Math.max(width, height) <= (limits.imageSide ?? Infinity) &&
    width * height >= Math.max(1, limits.fewestPixels ?? 1) &&
    width * height <= (limits.mostPixels ?? Infinity) &&
    base64Length(file.size) <= (limits.imageBytes ?? Infinity)
  );
}

/**
 * Results of tools are narrower than messages. Claude refuses a picture in the result of a failed tool. Chat servers
 * take text only: where the order of messages is free, a message behind the results brings the pictures.
 */
function takesThere(block: AttachedBlock, where: FileWhere, deployment: Deployment, model: ModelInfo): boolean {
  if (block.type === 'file') return true;
  if (where.role !== 'tool') return true;
  switch (deployment.protocol) {
    case 'anthropic-messages':
      return !where.isError;
    case 'openai-chat':
      return quirksOf(deployment, model).roleOrder === 'free';
    case 'openai-responses':
    case 'gemini':
      return true;
  }
}
