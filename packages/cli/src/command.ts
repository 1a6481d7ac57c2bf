import type { Input, OptionSpecs, Positional } from './arguments/index.ts';
import type { Terminal } from './terminal/index.ts';

/** 0: done. 1: it failed, and the message says why. 2: the command line itself is wrong. */
export type ExitCode = 0 | 1 | 2;

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly options: OptionSpecs;
  /** Command lines that work exactly as written; shown by `--help`. */
  readonly examples: readonly string[];
  readonly run: (input: Input, terminal: Terminal) => Promise<ExitCode>;
}
