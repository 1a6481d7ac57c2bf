import { BoughError } from '@bough/core';
import { parseArgs } from 'node:util';
import type { OptionSpecs, Positional } from './options.ts';
import { COMMON_OPTIONS } from './options.ts';

export { helpOf, overview } from './help.ts';
export * from './options.ts';

/** The command line is wrong: exit code 2, and the sentence says what to write instead. */
export class UsageError extends BoughError {
  constructor(message: string) {
    super('usage', message);
  }
}

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/**
 * What followed the command, read by name. Asking for a name that the command does not declare is a bug, and throws.
 */
export class Input {
  readonly #values: Values;
  readonly #positionals: ReadonlyMap<string, string>;
  readonly rest: readonly string[];

  constructor(values: Values, positionals: ReadonlyMap<string, string>, rest: readonly string[]) {
    this.#values = values;
    this.#positionals = positionals;
    this.rest = rest;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Every value of an option that may be repeated, in the order in which they were given. */
  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  }

  whole(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^\d+$/.test(value)) throw new UsageError(`--${name} takes a whole number, not "${value}".`);
    return Number(value);
  }

  /** The same, with another value for a positional. */
  with(name: string, value: string): Input {
    return new Input(this.#values, new Map([...this.#positionals, [name, value]]), this.rest);
  }

  positional(name: string): string | undefined {
    return this.#positionals.get(name);
  }

  required(name: string): string {
    const value = this.positional(name) ?? this.text(name);
    if (value === undefined) throw new UsageError(`<${name}> is missing.`);
    return value;
  }
}

/** Reads the words after a command's name. */
export function readInput(
  command: { readonly options: OptionSpecs; readonly positionals: readonly Positional[] },
  words: readonly string[],
): Input {
  const specs: OptionSpecs = { ...COMMON_OPTIONS, ...command.options };
  const { values, positionals } = parse(
    specs,
    words,
    command.positionals.some(({ rest }) => rest === true),
  );
  for (const [name, value] of Object.entries(values)) {
    const choices = specs[name]?.choices;
    if (choices !== undefined && typeof value === 'string' && !choices.includes(value)) {
      throw new UsageError(`--${name} takes ${choices.join(', ')}, not "${value}".`);
    }
  }
  const wantsHelp = values['help'] === true;
  const named = new Map<string, string>();
  let left = positionals;
  for (const { name, optional = false, rest = false } of command.positionals) {
    if (rest) {
      if (left.length === 0 && !optional && !wantsHelp) throw new UsageError(`<${name}> is missing.`);
      return new Input(values, named, left);
    }
    const [value, ...others] = left;
    if (value === undefined) {
      if (!optional && !wantsHelp) throw new UsageError(`<${name}> is missing.`);
      continue;
    }
    named.set(name, value);
    left = others;
  }
  if (!wantsHelp) checkTogether(specs, new Set([...Object.keys(values), ...named.keys()]));
  if (left.length > 0) {
    // What people try first: `bough chat "Why is the sky blue?"`.
    const hint = specs['message'] === undefined ? '' : ` Did you mean --message "${left[0]}"?`;
    throw new UsageError(`"${left[0]}" is one word too many.${hint}`);
  }
  return new Input(values, named, []);
}

/** What contradicts something else, or means nothing alone, is refused: else less or more is done than was asked. */
function checkTogether(specs: OptionSpecs, given: ReadonlySet<string>): void {
  const shown = (name: string): string => (name in specs ? `--${name}` : `<${name}>`);
  for (const [name, { with: needed, without = [] }] of Object.entries(specs)) {
    if (!given.has(name)) continue;
    const other = without.find((each) => given.has(each));
    if (other !== undefined) throw new UsageError(`--${name} and ${shown(other)} do not go together: leave one out.`);
    if (needed !== undefined && !needed.some((each) => given.has(each)))
      throw new UsageError(`--${name} means nothing without ${needed.map(shown).join(' or ')}.`);
  }
}

function parse(specs: OptionSpecs, words: readonly string[], takesWords: boolean) {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { value, short, many = false }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: many,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [problem = ''] = error.message.split('. ');
    const hint = takesWords ? '. A word that begins with "-" goes after "--".' : '';
    throw new UsageError(problem + hint);
  }
}
