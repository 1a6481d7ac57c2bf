/** A paste this long would bury what is being written. */
export const LONG_PASTE = 4000;

/** What is sent: the words, then what was pasted. */
export function joinDraft(text: string, pastes: readonly string[]): string {
  return [text.trim(), ...pastes].filter((part) => part !== '').join('\n\n');
}
