import type { Framing } from './framing.ts';

/** What a JSON value or a page begins with, and an event stream never does. */
const BODY = /^\s*[[{<]/;

export function beginsBody(first: Uint8Array): boolean {
  return isBody(new TextDecoder().decode(first));
}

export function isBody(text: string): boolean {
  return BODY.test(text);
}

/** A reply that was not streamed, or a page from an intermediary. */
export const oneBody: Framing = {
  fits: (_, first) => beginsBody(first),
  read: (maxLength) => {
    const decoder = new TextDecoder();
    const parts: string[] = [];
    let length = 0;
    return {
      take: (chunk) => {
        const text = decoder.decode(chunk, { stream: true });
        length += text.length;
        parts.push(text);
        return null;
      },
      overflowed: () => length > maxLength,
      end: () => ({ type: 'body', text: parts.join('') + decoder.decode() }),
    };
  },
};
