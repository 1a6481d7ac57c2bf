import type { Result } from './contest.ts';

export interface Settings {
  /** Small sizes and few rounds: shows that everything runs, not how fast. */
  readonly quick: boolean;
  /** Peers that are too large to be dependencies are installed into a temporary folder. */
  readonly install: boolean;
  /** Where a suite may put its own data; removed afterwards. */
  readonly scratch: string;
  /** Tells the reader what is going on; written to standard error. */
  progress(line: string): void;
}

/** A row of the table, at all its sizes. */
export interface Suite {
  readonly name: string;
  /** The rows of the table that it produces. */
  readonly works: readonly string[];
  /** One sentence: what is measured, and what each contestant does. */
  readonly about: string;
  run(settings: Settings): Promise<readonly Result[]>;
}
