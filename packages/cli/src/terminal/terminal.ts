import type { Readable } from 'node:stream';

/** Everything that a command touches of the process it runs in, so that a test can be one. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly write: (text: string) => void;
  /** Beside the output: progress, warnings, errors. */
  readonly warn: (text: string) => void;
  readonly input: Readable;
  /** Whether a person reads the output; colours and folded views depend on it. */
  readonly isInteractive: boolean;
  /** Aborted when the person wants the program to stop. */
  readonly signal: AbortSignal;
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.write(`${JSON.stringify(value, null, 2)}\n`);
}
