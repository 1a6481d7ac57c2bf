import { StoreError } from '../../errors.ts';

/** The error of a commit whose answer was lost and whose receipt cannot be queried. `trouble` says why, where known. */
export function unknownOutcome(target: string, trouble: unknown, cause: unknown): StoreError {
  if (trouble instanceof StoreError && trouble.code === 'disk_full') {
    return new StoreError(
      'disk_full',
      target,
      `The disk of PostgreSQL at ${target} became full while a write was being committed. It may have been stored: ` +
        'free some space, and read again before repeating it.',
      { cause },
    );
  }
  return new StoreError(
    'outcome_unknown',
    target,
    `The connection to PostgreSQL at ${target} broke while a write was being committed. It may have been stored: read again before repeating it.`,
    { cause },
  );
}
