import type { ProjectRecord } from '@bough/store';
import type { ImportProblem } from './conversation.ts';

/** What a source holds, one project at a time. */
export type Found =
  | {
      readonly type: 'project';
      readonly format: string;
      readonly title: string;
      /** May be read once. */
      readonly records: AsyncIterable<ProjectRecord>;
      readonly leftOut: readonly string[];
      readonly problems: readonly ImportProblem[];
    }
  | { readonly type: 'problem'; readonly problem: ImportProblem };

export async function* iterate<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}
