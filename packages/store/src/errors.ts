import { BoughError } from '@bough/core';

export type ConflictCode =
  | 'tip_moved'
  | 'name_taken'
  | 'turn_running'
  | 'not_owner'
  | 'id_taken'
  | 'store_locked'
  /** Somebody named the project meanwhile. */
  | 'project_changed'
  /** A document on the shelf has another version than the writer read. */
  | 'document_changed'
  /** What is to be restored belongs below something that is gone itself. */
  | 'parent_gone';

/** Another writer won the race. Nothing was changed: read again and decide. */
export class ConflictError extends BoughError {
  declare readonly code: ConflictCode;
  /** What is in the way: the running turn's id, the branch's real tip, or the taken name. */
  readonly conflicting: string | null;

  constructor(code: ConflictCode, message: string, conflicting: string | null = null) {
    super(code, message);
    this.conflicting = conflicting;
  }
}

/** The store itself is unusable in its current state: a corrupt file, a schema from the future, a full disk. */
export class StoreError extends BoughError {
  /** The file, table or setting that the error is about. */
  readonly subject: string;

  constructor(code: string, subject: string, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.subject = subject;
  }
}

/** What is told of a subject, for where the subject is told already: the message names it too. */
export const withoutSubject = ({ subject, message }: Pick<StoreError, 'subject' | 'message'>): string =>
  message.startsWith(`${subject} `) ? message.slice(subject.length + 1) : message;

export function requireName(found: string, onlyIf: { readonly name: string } | undefined): void {
  if (onlyIf !== undefined && onlyIf.name !== found)
    throw new ConflictError('project_changed', 'The project has another name by now.', found);
}
