import type { PreparedRequest } from '../protocol.ts';

/** The parts of a request that authentication looks at. */
export interface SignableRequest extends Pick<PreparedRequest, 'url' | 'headers' | 'body'> {
  readonly method: string;
}

/**
 * The headers that authenticate a request. They are made anew for every attempt, from the whole request: for a server
 * that wants it signed (with a time in the signature), another function of this type is all that is needed.
 */
export type Authorize = (key: string, request: SignableRequest) => Readonly<Record<string, string>>;

export const bearer: Authorize = (key) => ({ authorization: `Bearer ${key}` });

export const keyIn =
  (header: string): Authorize =>
  (key) => ({ [header]: key });
