import type { StoreError } from '@bough/store';
import { withoutSubject } from '@bough/store';
import type { Found } from './found.ts';

/** What a store says of a file that it cannot read. */
export const problemOf = (error: Pick<StoreError, 'subject' | 'message'>): Found => ({
  type: 'problem',
  problem: { where: error.subject, message: withoutSubject(error) },
});

/** A project with an unreadable file is not exported: half a tree would look like a whole one. */
export const leftWhole = (name: string, files: number): Found => ({
  type: 'problem',
  problem: {
    where: name,
    message: `It was not imported: half of a tree would look like a whole one. Mend what cannot be read (${files} above), and import it again.`,
  },
});
