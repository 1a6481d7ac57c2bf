export interface OptionSpec {
  readonly description: string;
  /** The placeholder for the value in the help; an option without it is a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  /** May be given more than once. */
  readonly many?: boolean;
  /** Options and positionals of which one must be given too: without any it would be passed over in silence. */
  readonly with?: readonly string[];
  /** Options and positionals that mean something else. */
  readonly without?: readonly string[];
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export interface Positional {
  readonly name: string;
  readonly optional?: boolean;
  /** Takes all remaining words. */
  readonly rest?: boolean;
}

/** Every command takes these. */
export const COMMON_OPTIONS: OptionSpecs = {
  help: { description: 'show this help', short: 'h' },
  json: { description: 'print JSON, for programs' },
};
