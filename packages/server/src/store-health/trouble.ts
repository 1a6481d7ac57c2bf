import { StoreError } from '@bough/store';

/** Why nothing can be stored, for the client: a status, a code, and what to do. No path, no address. */
export interface StoreTrouble {
  readonly status: 503 | 507;
  readonly code: string;
  readonly sentence: string;
}

const FULL: StoreTrouble = {
  status: 507,
  code: 'disk_full',
  sentence: 'The disk is full, and this was not stored. Free some space, then try again.',
};
const READ_ONLY: StoreTrouble = {
  status: 503,
  code: 'read_only',
  sentence: 'The store can be read, but not written. Make it writable, then try again.',
};
const AWAY: StoreTrouble = {
  status: 503,
  code: 'store_unreachable',
  sentence: 'The database cannot be reached. Try again in a moment; if that lasts, look whether it runs.',
};

const KNOWN: Readonly<Record<string, StoreTrouble>> = {
  disk_full: FULL,
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: FULL,
  read_only: READ_ONLY,
  store_read_only: READ_ONLY,
  EROFS: READ_ONLY,
  store_unreachable: AWAY,
};

/** Null where an error is about something else. A failed file write is also recognised by its cause. */
export function storeTrouble(error: unknown): StoreTrouble | null {
  const known = [error, error instanceof Error ? error.cause : undefined].map(codeOf).find((code) => code in KNOWN);
  if (known !== undefined) return KNOWN[known] ?? null;
  if (!(error instanceof StoreError)) return null;
  return {
    status: 503,
    code: error.code,
    sentence: 'The store cannot take this right now; the log of the server tells more.',
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
