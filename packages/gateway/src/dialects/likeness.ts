import { sha256, stableStringify } from '@bough/core';
import { withoutMarks } from './json.ts';

export { replyLikeness } from '@bough/core';

/** The likeness of what somebody else than the model said: texts without the space around them, then all the rest. */
export function givenLikeness(texts: readonly string[], others: readonly unknown[]): string {
  const said = texts.map((text) => withoutSurroundings(text).trim()).filter((text) => text !== '');
  return likenessOf(said.join('\n'), others.map(withoutMarks));
}

const SURROUNDINGS = /^<session_context>\s[^]*<\/session_context>\s*$/;
const WORKSPACE = /Workspace Directories:\*\*\n((?:[ \t]+- .*\n)+)/;

/**
 * Gemini CLI begins each conversation with the date, its folders and a list of files, and writes them anew when it
 * resumes one. Only where it works is part of what was said.
 */
function withoutSurroundings(text: string): string {
  if (!text.startsWith('<session_context>') || !SURROUNDINGS.test(text)) return text;
  return WORKSPACE.exec(text)?.[1] ?? text;
}

/** The text is hashed as it is: written as JSON first, a long one would cost twice as much. */
const likenessOf = (text: string, others: readonly unknown[]): string =>
  sha256(`${stableStringify(others)}\n${text}`).slice(0, 32);
