import { BoughError, ContextTooLongError, MaxTokensError, UnknownIdError } from '@bough/core';
import { NothingToAnswerError } from '@bough/providers';
import { StoreError } from '@bough/store';
import { ProviderToolError } from '../branches/provider-tools.ts';

/** What went wrong, for the person whose turn it was. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

const KEPT = 'What was shown is kept.';

/** Somebody deleted the project while its turn ran: nothing in it can be stored, and nothing is wrong. */
export const DELETED: Failure = { code: 'deleted', message: 'This conversation was deleted.', retryable: false };

export function isDeleted(error: unknown): boolean {
  return error instanceof UnknownIdError && (error.kind === 'project' || error.kind === 'turn');
}

/** A store's own messages name files and servers; people are told what to do instead. */
const STORE_SENTENCES: Readonly<Record<string, string>> = {
  disk_full: `The disk is full, and the turn was stopped. ${KEPT} Free some space, then continue or send the message again.`,
  store_unreachable: `The database cannot be reached, and the turn was stopped. ${KEPT} Once it is back, continue or send the message again.`,
};

/**
 * What was asked for cannot be sent: a message that is too long, more tokens than there are. That is for the person who
 * asked, and nothing that whoever runs the server should be woken for.
 */
export function isOfTheRequest(error: unknown): error is BoughError {
  return (
    error instanceof ContextTooLongError ||
    error instanceof MaxTokensError ||
    error instanceof NothingToAnswerError ||
    error instanceof ProviderToolError
  );
}

export function failureOf(error: unknown): Failure {
  if (error instanceof StoreError) {
    const otherwise = `The store failed, and the turn was stopped. ${KEPT} The log of the server tells more.`;
    return { code: error.code, message: STORE_SENTENCES[error.code] ?? otherwise, retryable: true };
  }
  const code = isOfTheRequest(error) ? error.code : 'internal';
  const message =
    error instanceof BoughError
      ? error.message
      : 'Something went wrong inside Bough; the log of the server tells more.';
  return { code, message, retryable: false };
}

/**
 * The store is away or accepts nothing at the moment. Whatever failed because of that works once it is back; nothing is
 * damaged.
 */
export function isPassing(error: unknown): boolean {
  return error instanceof StoreError && PASSING.has(error.code);
}

const PASSING: ReadonlySet<string> = new Set([
  'access_denied',
  'database_missing',
  'disk_full',
  'git_missing',
  'outcome_unknown',
  'read_only',
  'statement_timeout',
  'store_closed',
  'store_read_only',
  'store_unreachable',
  'too_many_connections',
]);
