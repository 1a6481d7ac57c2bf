import { sha256 } from '@bough/core';
import type { Prompt } from '../reply.ts';

/** Counts how often a prompt was answered, so that a person who asks again gets another answer. Bounded. */
export interface Variations {
  readonly of: (prompt: Prompt) => number;
  /** To be called once the answer is on its way: a refused attempt is not an answer. */
  readonly answered: (prompt: Prompt) => void;
}

export function createVariations(limit = 5_000): Variations {
  const counts = new Map<string, number>();
  return {
    of: (prompt) => counts.get(keyOf(prompt)) ?? 0,
    answered: (prompt) => {
      const key = keyOf(prompt);
      const count = counts.get(key) ?? 0;
      counts.delete(key);
      counts.set(key, count + 1);
      if (counts.size > limit) {
        const [oldest] = counts.keys();
        if (oldest !== undefined) counts.delete(oldest);
      }
    },
  };
}

/** The body is as long as the conversation, and says nothing that counts here and is not in the prompt. */
function keyOf(asked: Prompt): string {
  const { sent: _, ...prompt } = asked;
  return sha256(JSON.stringify(prompt));
}
