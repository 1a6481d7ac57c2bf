import type { BlobSource, ProjectRecord } from '@bough/store';
import type { ImportProblem } from './conversation.ts';
import type { MissingFile } from './files/bring.ts';
import type { StaysBecause } from './formats/sessions/makers.ts';
import type { Held } from './lanes.ts';

/** What a source holds, one project at a time. */
export type Found =
  | {
      readonly type: 'project';
      readonly format: string;
      readonly title: string;
      /** May be read once. */
      readonly records: AsyncIterable<ProjectRecord>;
      /** Null where the records are read from somewhere while they are stored. */
      readonly held: Held | null;
      /** Where its files are, if it can have any. */
      readonly files?: BlobSource;
      readonly leftOut: readonly string[];
      readonly problems: readonly ImportProblem[];
      /** Its malformed records cost themselves and never the import: a client that was killed leaves such lines. */
      readonly isLenient?: true;
      /** How many files of an export became part of its messages, and which did not. */
      readonly attached?: number;
      readonly missing?: readonly MissingFile[];
      /** Of an agent's session: how many replies get their reasoning back, and why the others do not. */
      readonly reasoning?: { readonly goesBack: number; readonly stays: readonly StaysBecause[] };
    }
  | { readonly type: 'problem'; readonly problem: ImportProblem; readonly isLenient?: true }
  /** What an export holds besides its conversations, by kind. */
  | { readonly type: 'leftOut'; readonly kinds: readonly string[] };

export async function* iterate<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}
