import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { unpacked } from '../node-wire/unpacked.ts';
import { hostOf, isPublicAddress } from './address.ts';
import { PRIVATE_ADDRESS } from './refused.ts';

export { isPrivateHost, isPublicAddress } from './address.ts';

type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

export interface PublicFetchOptions {
  readonly lookup?: Lookup;
  readonly isAllowed?: (address: string) => boolean;
  readonly connectTimeoutMs?: number;
}

/**
 * A fetch that reaches only the open internet. Names are judged by the addresses that the connection is made to, in the
 * lookup of the connection itself: a name that is looked up first and connected to later may have been pointed
 * elsewhere in between. It takes what the transport sends (a text, bytes or a stream of pieces), unpacks what comes
 * packed, as every fetch does, and follows no redirect.
 */
export function createPublicFetch(options: PublicFetchOptions = {}): typeof globalThis.fetch {
  const { lookup = systemLookup, isAllowed = isPublicAddress, connectTimeoutMs = 9_000 } = options;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const host = hostOf(url);
    if (isIP(host) > 0 && !isAllowed(host)) throw refusal(host);
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(
        url,
        {
          method: init.method ?? 'GET',
          headers: Object.fromEntries(new Headers(init.headers)),
          lookup: guarded(lookup, isAllowed),
          // A connection of its own: one that something else opened was never checked.
          agent: false,
          timeout: connectTimeoutMs,
          ...(init.signal === undefined || init.signal === null ? {} : { signal: init.signal }),
        },
        (response) => {
          try {
            resolve(responseOf(response));
          } catch (error) {
            response.destroy();
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        },
      );
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      request.on('socket', (socket) => socket.once(connected, () => socket.setTimeout(0)));
      request.on('timeout', () => request.destroy(coded('ETIMEDOUT', `No connection to ${host}.`)));
      request.on('error', reject);
      if (init.body === undefined || init.body === null) request.end();
      else if (typeof init.body === 'string' || init.body instanceof Uint8Array) request.end(init.body);
      else if (init.body instanceof ReadableStream) Readable.from(init.body).on('error', reject).pipe(request);
      else reject(new TypeError('Only texts, bytes and streams are sent.'));
    });
  };
}

function guarded(lookup: Lookup, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const [first, ...more] = found.filter(({ address }) => isAllowed(address));
      if (first === undefined) return callback(refusal(hostname), []);
      if (options.all === true) return callback(null, [first, ...more]);
      return callback(null, first.address, first.family);
    });
  };
}

function responseOf(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const status = incoming.statusCode ?? 0;
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(unpacked(incoming)) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}

function refusal(host: string): Error {
  return coded(PRIVATE_ADDRESS, `${host} is an address of a private network.`);
}

function coded(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
