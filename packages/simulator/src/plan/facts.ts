import { SUMMARY_INSTRUCTION } from '@bough/core';
import type { Script } from '../commands/index.ts';
import type { Prompt } from '../reply.ts';

/** A fact that somebody told: "fact capital is Paris". */
const FACT = /\bfact ([\w-]+) is ([\w-]+)/g;

/** What the model knows, and all that it knows: the facts in the request that it was sent, the newest of each name. */
function factsIn(sent: string): ReadonlyMap<string, string> {
  return new Map([...sent.matchAll(FACT)].map(([, name = '', value = '']) => [name, value]));
}

/** What is kept of a conversation whose messages go: every fact in it. */
export function summaryText(sent: string): string {
  const facts = [...factsIn(sent)].map(([name, value]) => `fact ${name} is ${value}`);
  return `Summary. ${facts.length === 0 ? 'Nothing that must be kept was said.' : `It was said: ${facts.join('; ')}.`}`;
}

/** A request for a summary, or a question about a fact; null for any other message. */
export function rememberedAnswer({ userText, sent = '' }: Prompt, { summary, recall }: Script): string | null {
  if (summary === true || userText.trimStart().startsWith(SUMMARY_INSTRUCTION)) return summaryText(sent);
  if (recall === undefined) return null;
  // Said in other words than a fact is told in: the answer must not become the source of the next one.
  const value = factsIn(sent).get(recall);
  return value === undefined ? `I know nothing about ${recall}.` : `As for ${recall}, it was ${value}.`;
}
