import type { Readable } from 'node:stream';
import { shown } from './shown.ts';

/** What the process provides: its streams, its signals, its environment. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly write: (text: string) => void;
  /** In addition to the output: progress, warnings, errors. */
  readonly warn: (text: string) => void;
  readonly input: Readable;
  /** Whether a person reads the output; colours and folded views depend on it. */
  readonly isInteractive: boolean;
  /** Aborted when the person wants the program to stop. */
  readonly signal: AbortSignal;
  /**
   * Signals are given to this function, until what is returned is called. Those that it does not take (false) stop the
   * program.
   */
  readonly takeSignals?: TakeSignals;
}

export type TakeSignals = (take: (signal: NodeJS.Signals) => boolean) => () => void;

/**
 * Everything of its process that a command touches, so that a test can provide it instead. Everything written is made
 * harmless.
 */
export interface Terminal extends Surroundings {
  /** For output that another program reads, to the byte; where a person is watching it is as harmless as the rest. */
  readonly writeExactly: (text: string) => void;
  readonly takeSignals: TakeSignals;
}

/**
 * The only way from a command to the screen: words of models, files and strangers pass through here and nowhere else.
 */
export function terminalIn(surroundings: Surroundings): Terminal {
  const { env, input, isInteractive, signal } = surroundings;
  const write = (text: string): void => surroundings.write(shown(text));
  return {
    env,
    // Evaluated when needed: the directory may be gone.
    get cwd() {
      return surroundings.cwd;
    },
    input,
    isInteractive,
    signal,
    takeSignals: surroundings.takeSignals ?? (() => () => undefined),
    write,
    warn: (text) => surroundings.warn(shown(text)),
    writeExactly: isInteractive ? write : surroundings.write,
  };
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.write(`${jsonLine(value, 2)}\n`);
}

/**
 * JSON leaves the characters from U+007F to U+009F as they are, and some terminals obey them. Escaped, they mean the
 * same.
 */
export function jsonLine(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent) ?? 'null';
  return json.replaceAll(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
