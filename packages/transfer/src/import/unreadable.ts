import type { Found } from './found.ts';

/** What a store says of a file that it cannot read. */
interface Unreadable {
  readonly subject: string;
  readonly message: string;
}

/** The message names its subject too: once is enough. */
export const problemOf = ({ subject, message }: Unreadable): Found => ({
  type: 'problem',
  problem: { where: subject, message: message.startsWith(`${subject} `) ? message.slice(subject.length + 1) : message },
});

/** A project with an unreadable file is not exported: half a tree would look like a whole one. */
export const leftWhole = (name: string, files: number): Found => ({
  type: 'problem',
  problem: {
    where: name,
    message: `It was not imported: half of a tree would look like a whole one. Mend what cannot be read (${files} above), and import it again.`,
  },
});
