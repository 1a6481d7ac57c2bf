import type { MessageContentInput } from '@bough/api/client';
import type { AttachedBlock, ContentBlock } from '@bough/core';
import { isAttachedBlock } from '@bough/core';

/** A message as a person writes it. */
export interface Written {
  readonly text: string;
  readonly files: readonly AttachedBlock[];
}

export const words = (text: string): Written => ({ text, files: [] });

export const isBlank = ({ text, files }: Written): boolean => text.trim() === '' && files.length === 0;

/** What a message is sent as: files come before the words about them, as providers recommend. */
export function contentOf({ text, files }: Written): MessageContentInput {
  if (files.length === 0) return text;
  return [...files.map((file) => ({ ...file })), ...(text === '' ? [] : [{ type: 'text', text }])];
}

export function filesOf(blocks: readonly ContentBlock[]): readonly AttachedBlock[] {
  return blocks.filter(isAttachedBlock);
}

/** What a browser kept of files: only this page writes it, and what it cannot read is no file. */
export function readFiles(value: unknown): readonly AttachedBlock[] {
  return Array.isArray(value) ? value.filter((block) => isBlock(block) && isAttachedBlock(block)) : [];
}

function isBlock(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
