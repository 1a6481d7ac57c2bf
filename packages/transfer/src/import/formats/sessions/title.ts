import { excerpt, isTextBlock } from '@bough/core';
import type { SessionMessage } from './session.ts';

/** The first words of a person: what stands in angle brackets was written by the client. */
export function titleFrom(messages: readonly SessionMessage[]): string {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ blocks }) => blocks.filter(isTextBlock).map(({ text }) => text.trim()));
  return excerpt(texts.find((text) => text !== '' && !text.startsWith('<')) ?? texts[0] ?? '', 80);
}
