export type { BlobStore, PutBlob, ReadBlob } from './blob-store.ts';
export type { BlobErrorCode } from './error.ts';
export { BlobError, damagedBlob, missingBlob, tooLarge } from './error.ts';
export { checked, inPieces, PIECE_BYTES, type Hashed } from './stream.ts';

/** For how long what was put waits for a node that refers to it. */
export const HOLD_HOURS = 48;
export const HOLD_MS = HOLD_HOURS * 60 * 60 * 1000;
