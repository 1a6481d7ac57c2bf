import type { MessageKey } from '../i18n/index.ts';

export type ShortcutId =
  | 'palette'
  | 'previousBranch'
  | 'nextBranch'
  | 'graph'
  | 'context'
  | 'details'
  | 'sidebar'
  | 'composer'
  | 'allow'
  | 'always'
  | 'decline'
  | 'ask'
  | 'help';

interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The shortcut for a key press, or null. While somebody types, single characters are just text. */
export function shortcutOf({ key, code, ctrlKey, metaKey, altKey }: Pressed, isTyping: boolean): ShortcutId | null {
  if ((ctrlKey || metaKey) && !altKey) return key.toLowerCase() === 'k' ? 'palette' : null;
  // By key position, not by character: with Alt, many keyboards produce a different one.
  if (altKey && !ctrlKey && !metaKey) return ALT[code] ?? null;
  if (isTyping || ctrlKey || metaKey || altKey) return null;
  if (key === '/') return 'composer';
  return key === '?' ? 'help' : null;
}

/** On a Mac, Alt types letters of many languages, or begins one: “å”, or the tilde of “ñ”. */
export function typesLetter({ key, altKey }: Pick<Pressed, 'key' | 'altKey'>): boolean {
  return altKey && (key === 'Dead' || (/^\p{L}$/u.test(key) && key > '\x7f'));
}

const ALT: Readonly<Record<string, ShortcutId>> = {
  ArrowUp: 'previousBranch',
  ArrowDown: 'nextBranch',
  Digit1: 'graph',
  Digit2: 'context',
  Digit3: 'details',
  KeyB: 'sidebar',
  KeyY: 'allow',
  KeyA: 'always',
  KeyN: 'decline',
  KeyQ: 'ask',
};

/** The list of shortcuts, in display order. */
export const SHORTCUTS: readonly { readonly keys: readonly string[]; readonly label: MessageKey }[] = [
  { keys: ['Ctrl / ⌘', 'K'], label: 'shortcuts.palette' },
  { keys: ['Alt', '↑'], label: 'shortcuts.previousBranch' },
  { keys: ['Alt', '↓'], label: 'shortcuts.nextBranch' },
  { keys: ['Alt', '1'], label: 'shortcuts.graph' },
  { keys: ['Alt', '2'], label: 'shortcuts.context' },
  { keys: ['Alt', '3'], label: 'shortcuts.details' },
  { keys: ['Alt', 'B'], label: 'shortcuts.sidebar' },
  { keys: ['/'], label: 'shortcuts.composer' },
  { keys: ['Enter'], label: 'shortcuts.send' },
  { keys: ['Shift', 'Enter'], label: 'shortcuts.newline' },
  { keys: ['Esc'], label: 'shortcuts.leave' },
  { keys: ['Ctrl / ⌘', 'Enter'], label: 'shortcuts.sendEdit' },
  { keys: ['Alt', 'Y'], label: 'shortcuts.allow' },
  { keys: ['Alt', 'A'], label: 'shortcuts.always' },
  { keys: ['Alt', 'N'], label: 'shortcuts.decline' },
  { keys: ['Alt', 'Q'], label: 'shortcuts.ask' },
  { keys: ['?'], label: 'shortcuts.help' },
];
