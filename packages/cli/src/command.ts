import type { Input, OptionSpecs, Positional } from './arguments/index.ts';
import type { Terminal } from './terminal/index.ts';

/**
 * 0: done. 1: it failed, and the message says why. 2: the command line itself is wrong. `bough run` ends with the code
 * of its client.
 */
export type ExitCode = number;

/** Done, except for records that could not be read; the report names them. */
export const SKIPPED: ExitCode = 3;
/** Stopped by a person: what a shell gives a program that Ctrl-C ended. */
export const INTERRUPTED: ExitCode = 130;

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly options: OptionSpecs;
  /** Command lines that work exactly as written; shown by `--help`. */
  readonly examples: readonly string[];
  readonly run: (input: Input, terminal: Terminal) => Promise<ExitCode>;
}
