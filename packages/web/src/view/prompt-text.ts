/** A place in a prompt that is filled in when the prompt is used. */
export interface Variable {
  readonly name: string;
  /** What it is if nobody says otherwise. */
  readonly fallback: string;
}

/** `{{name}}` or `{{name:default}}`. Braces that hold nothing, or a line break, are just text. */
const VARIABLE = /\{\{[ \t]*([^{}:\n]*[^{}:\n \t])[ \t]*(?::([^{}\n]*))?\}\}/g;

/** Each once, in the order in which they are first written; the first default counts. */
export function variablesIn(text: string): readonly Variable[] {
  const found = new Map<string, Variable>();
  for (const [, name = '', fallback] of text.matchAll(VARIABLE)) {
    const known = found.get(name);
    if (known === undefined || known.fallback === '') found.set(name, { name, fallback: fallback?.trim() ?? '' });
  }
  return [...found.values()];
}

export function fillIn(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}

/** What is known without asking. */
export const DATE = 'date';
export const CLIPBOARD = 'clipboard';

/** A prompt as the menu of the message box finds it: by its title, then its tags, then its text. */
export function matchingPrompts<
  Prompt extends { readonly title: string; readonly text: string; readonly tags: readonly string[] },
>(prompts: readonly Prompt[], typed: string): readonly Prompt[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return prompts;
  const rank = ({ title, tags }: Prompt): number => {
    const name = title.toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted)) return 1;
    return tags.some((tag) => tag.toLowerCase().startsWith(wanted)) ? 2 : 3;
  };
  return prompts.filter((prompt) => rank(prompt) < 3).toSorted((a, b) => rank(a) - rank(b));
}

/**
 * What somebody looks for with a slash at the beginning of the message box; null where that is not what is being
 * written: a second line, or a command for the simulator.
 */
export function slashSearch(text: string): string | null {
  if (!text.startsWith('/') || text.includes('\n')) return null;
  const typed = text.slice(1);
  return /^sim(?:\s|$)/.test(typed) ? null : typed;
}
