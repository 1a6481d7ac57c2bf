import { isNestedTooDeep, MAX_NESTING } from '@bough/core';
import { flattened } from './flattened.ts';

/** An element: parsed, or the reason why it could not be. */
export type Outcome = { readonly value: unknown } | { readonly error: string };

/** `null` stands for a text that was too long to hold. */
export function parsed(text: string | null): Outcome {
  if (text === null) return { error: 'It is larger than anything that is imported.' };
  try {
    if (!isNestedTooDeep(text)) return { value: JSON.parse(text) };
    const value = flattened(text);
    return value === null ? { error: `It is nested deeper than ${MAX_NESTING} levels.` } : { value };
  } catch (error) {
    if (error instanceof SyntaxError) return { error: `It is not valid JSON: ${error.message}.` };
    throw error;
  }
}
