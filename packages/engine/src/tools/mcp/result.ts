import { isPlainObject } from '@bough/core';

/** The text of a tool's result. Anything that is not text is named, so that the model knows that it was there. */
export function textOfResult(result: Readonly<Record<string, unknown>>): string {
  const content: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const text = content.map(textOf).join('\n');
  const structured = result['structuredContent'];
  const whole = text === '' && structured !== undefined ? JSON.stringify(structured) : text;
  if (result['isError'] === true) throw new Error(whole === '' ? 'The tool reported an error.' : whole);
  return whole;
}

function textOf(part: unknown): string {
  if (!isPlainObject(part)) return '';
  if (part['type'] === 'text' && typeof part['text'] === 'string') return part['text'];
  if (part['type'] === 'resource' && isPlainObject(part['resource']) && typeof part['resource']['text'] === 'string') {
    return part['resource']['text'];
  }
  return `[${String(part['type'])} content, which cannot be shown as text]`;
}
