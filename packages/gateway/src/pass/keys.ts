import type { HeaderRecord } from './headers.ts';

/** Where clients put keys. */
const KEY_HEADERS = ['x-api-key', 'authorization', 'x-goog-api-key', 'api-key'] as const;
const TOKEN_HEADER = 'x-bough-token';
/** For clients that do not start without a key: it means the key that Bough has. */
export const NO_KEY = 'bough';
const SECRET_PARAMETERS = /^(?:key|api[-_]?key|access[-_]?token|token|sig|signature)$/i;

/** A request's keys, sorted out. */
export interface Keys {
  /** Whether Bough's own token was among them. */
  readonly hasToken: boolean;
  /** Whether something was offered as the token or as a key: a wrong guess, if the token is not among it. */
  readonly isOffered: boolean;
  /** Whether a key of the client's own goes on. */
  readonly isOwn: boolean;
  /** Without Bough's token, wherever it came. */
  readonly headers: HeaderRecord;
  readonly query: string;
}

/** The token is never passed on, and neither is the word that stands for no key. */
export function sortKeys(headers: HeaderRecord, query: string, isToken: (text: string) => boolean): Keys {
  const kept: Record<string, string> = { ...headers };
  let hasToken = isToken(headers[TOKEN_HEADER] ?? '');
  let own = 0;
  const judge = (value: string, remove: () => void): void => {
    const isOurs = isToken(value);
    hasToken ||= isOurs;
    if (isOurs || value === NO_KEY || value === '') remove();
    else own += 1;
  };
  for (const name of KEY_HEADERS) {
    const value = headers[name];
    if (value !== undefined) judge(value.replace(/^(?:Bearer|Basic)\s+/i, ''), () => delete kept[name]);
  }
  const parameters = parametersOf(query);
  const passed = parameters.filter(({ name, value }) => {
    let isKept = true;
    if (name === 'key') judge(value, () => (isKept = false));
    return isKept;
  });
  const isOffered = own > 0 || headers[TOKEN_HEADER] !== undefined;
  return { hasToken, isOffered, isOwn: own > 0, headers: kept, query: passed.map(({ text }) => text).join('&') };
}

/** For whoever records: neither the client's key nor any other secret. */
export function withoutSecrets(headers: HeaderRecord): HeaderRecord {
  const secret: ReadonlySet<string> = new Set([...KEY_HEADERS, TOKEN_HEADER, 'cookie', 'proxy-authorization']);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secret.has(name)));
}

export function queryWithoutSecrets(query: string): string {
  return parametersOf(query)
    .filter(({ name }) => !SECRET_PARAMETERS.test(name))
    .map(({ text }) => text)
    .join('&');
}

interface Parameter {
  readonly text: string;
  readonly name: string;
  readonly value: string;
}

/** As written: a query that is passed on must not be spelled anew. */
function parametersOf(query: string): readonly Parameter[] {
  if (query === '') return [];
  return query.split('&').map((text) => {
    const [name, value] = [...new URLSearchParams(text)][0] ?? ['', ''];
    return { text, name, value };
  });
}
