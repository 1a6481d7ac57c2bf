import type { CallView } from '@bough/api/client';

/** Something that happened on the way to a reply and did not prevent it. */
export interface ReplyNotice {
  readonly code: string;
  /** In the server's own words, for a code that this page does not know. */
  readonly message: string | null;
  /** The files that came along into a new container, and those that could not. Only a stream names them. */
  readonly brought?: readonly string[];
  readonly missing?: readonly string[];
}

/** Failed calls that are worth a word although another one took their place; others concern nobody. */
const TOLD = new Set(['container_expired', 'container_files_gone']);

/** What a stored reply tells, as its stream told it. */
export function noticesOf(calls: readonly Pick<CallView, 'errorCode'>[]): readonly ReplyNotice[] {
  const codes = calls.slice(0, -1).flatMap(({ errorCode }) => (errorCode === null ? [] : [errorCode]));
  return [...new Set(codes)].filter((code) => TOLD.has(code)).map((code) => ({ code, message: null }));
}
