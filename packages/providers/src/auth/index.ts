import type { PreparedRequest } from '../protocol.ts';

/** What is looked at to let a request in. */
export interface SignableRequest extends Pick<PreparedRequest, 'url' | 'headers' | 'body'> {
  readonly method: string;
}

/**
 * The headers by which a server knows who asks. They are made anew for every attempt, and see the whole request: a
 * server that wants it signed (with a time in the signature) then needs nothing but another function of this type.
 */
export type Authorize = (key: string, request: SignableRequest) => Readonly<Record<string, string>>;

export const bearer: Authorize = (key) => ({ authorization: `Bearer ${key}` });

export const keyIn =
  (header: string): Authorize =>
  (key) => ({ [header]: key });
