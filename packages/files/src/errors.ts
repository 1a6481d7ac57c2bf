import { BoughError } from '@bough/core';

export type FitErrorCode =
  | 'file_empty'
  | 'file_not_what_it_says'
  | 'picture_unreadable'
  | 'picture_format'
  | 'picture_too_large'
  | 'picture_too_narrow'
  | 'document_unreadable'
  | 'document_protected'
  | 'document_too_large'
  | 'text_too_long'
  | 'fitting_unavailable';

/** A file that cannot be attached; the message says what to do about it. */
export class FitError extends BoughError {
  declare readonly code: FitErrorCode;

  constructor(code: FitErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
  }
}
