import type { Quirks } from '../traits.ts';

/** A message of the request: its bytes, and what the order depends on. */
export interface Fragment {
  readonly role: string;
  readonly bytes: string;
  /** The text of a message that is nothing but text; null for any other, which is never joined. */
  readonly text: string | null;
}

/** What stands between tool results and the next question where a server wants an answer there. */
const BRIDGE = '(The turn ended here without an answer.)';

/** Puts messages into an order that the server takes. Only adds a bridge or joins plain text: nothing is moved or dropped. */
export function ordered(fragments: readonly Fragment[], quirks: Quirks): readonly Fragment[] {
  switch (quirks.roleOrder) {
    case 'free':
      return fragments;
    case 'mistral':
      return fragments.flatMap((fragment, index) =>
        fragment.role === 'user' && fragments[index - 1]?.role === 'tool'
          ? [textFragment('assistant', BRIDGE), fragment]
          : [fragment],
      );
    case 'alternating':
      return joined(fragments);
  }
}

function joined(fragments: readonly Fragment[]): readonly Fragment[] {
  const result: Fragment[] = [];
  for (const fragment of fragments) {
    const before = result.at(-1);
    const joins = before?.role === fragment.role && before.text !== null && fragment.text !== null;
    if (joins) result[result.length - 1] = textFragment(fragment.role, `${before.text}\n\n${fragment.text}`);
    else result.push(fragment);
  }
  return result;
}

export function textFragment(role: string, text: string): Fragment {
  return { role, text, bytes: JSON.stringify({ role, content: text }) };
}
