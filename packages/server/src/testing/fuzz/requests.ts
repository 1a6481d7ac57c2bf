import type { Random } from './random.ts';
import type { Making, Schema, Schemas } from './schema.ts';
import { valueOf } from './schema.ts';
import { hostileBody, hostileText, mutated } from './values.ts';

/** The API's own description, as it is served. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface FuzzRequest {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export function routesOf(document: ApiDocument): readonly Route[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** One request to a route: right in most places, and wrong in one or more. */
export function makeRequest(route: Route, making: Making): FuzzRequest {
  const { random } = making;
  const isFile = route.operation.requestBody?.content['application/octet-stream'] !== undefined;
  const body = isFile ? hostileBody('{"a":"b"}', random) : bodyOf(route, making);
  const request: FuzzRequest = {
    route: `${route.method} ${route.path}`,
    method: route.method,
    path: `${pathOf(route, making)}${queryOf(route, making)}`,
    headers: body === undefined ? {} : { 'content-type': isFile ? 'application/octet-stream' : 'application/json' },
    body,
  };
  if (random.chance(0.35)) return request;
  const wrongs = isFile ? WRONGS.filter((wrong) => wrong !== changeBody && wrong !== breakBody) : WRONGS;
  return wrongs[random.below(wrongs.length)]?.(request, random) ?? request;
}

function bodyOf({ operation }: Route, making: Making): string | undefined {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return schema === undefined ? undefined : JSON.stringify(valueOf(schema, '', making));
}

function pathOf({ path, operation }: Route, making: Making): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema = operation.parameters?.find((parameter) => parameter.name === name)?.schema ?? { type: 'string' };
    return encoded(String(valueOf(schema, name, making)));
  });
}

function queryOf({ operation }: Route, making: Making): string {
  const { random } = making;
  const given = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query' && random.chance(0.8));
  if (given.length === 0) return '';
  const pairs = given.map(({ name, schema }) => `${name}=${encoded(String(valueOf(schema, name, making)))}`);
  return `?${pairs.join('&')}`;
}

/** Half of a surrogate pair has no encoding: it is sent as the bytes that some programs write for it. */
function encoded(text: string): string {
  return text
    .split(/([\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/)
    .map((part, index) => (index % 2 === 1 ? '%ED%A0%80' : encodeURIComponent(part)))
    .join('');
}

type Wrong = (request: FuzzRequest, random: Random) => FuzzRequest;

const changeBody: Wrong = (request, random) => {
  if (request.body === undefined) return changePath(request, random);
  return { ...request, body: JSON.stringify(mutated(JSON.parse(String(request.body)), random)) ?? 'null' };
};
const breakBody: Wrong = (request, random) => ({
  ...request,
  headers: { 'content-type': 'application/json', ...request.headers },
  body: hostileBody(String(request.body ?? '{"a":"b"}'), random),
});
const changePath: Wrong = (request, random) => {
  const [path = '', query] = request.path.split('?');
  const parts = path.split('/');
  const at = 1 + random.below(parts.length);
  const part = random.chance(0.5) ? encoded(hostileText(random)) : printable(hostileText(random));
  const changed = random.chance(0.7) ? parts.with(Math.min(at, parts.length - 1), part) : parts.toSpliced(at, 0, part);
  return { ...request, path: `/${changed.slice(1).join('/')}${query === undefined ? '' : `?${query}`}` };
};
const changeQuery: Wrong = (request, random) => {
  const names = ['ref', 'limit', 'before', 'after', 'q', 'mode', '__proto__', 'ref[]', ''] as const;
  const more = Array.from(
    { length: 1 + random.below(4) },
    () => `${random.pick(names)}=${random.chance(0.5) ? encoded(hostileText(random)) : printable(hostileText(random))}`,
  );
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${more.join('&')}` };
};
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'] as const;
const changeMethod: Wrong = (request, random) => ({ ...request, method: random.pick(METHODS) });
const HEADERS: readonly [string, ...string[]] = [
  'content-type',
  'host',
  'origin',
  'authorization',
  'cookie',
  'accept',
  'accept-encoding',
  'sec-fetch-site',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-request-id',
  'if-none-match',
  'range',
  'content-encoding',
  '__proto__',
];
const HEADER_VALUES = [
  'text/plain',
  'application/json;charset=utf-16',
  'application/json; charset',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  '127.0.0.999',
  'localhost:99999',
  '[::1',
  'evil.example',
  'null',
  'Bearer x',
  'bough_session=a.1.b',
  'gzip, br;q=nonsense',
  'bytes=0-1,5-',
  '*',
] as const;
const changeHeader: Wrong = (request, random) => {
  const value = random.chance(0.6) ? random.pick(HEADER_VALUES) : printable(hostileText(random));
  return { ...request, headers: { ...request.headers, [random.pick(HEADERS)]: value } };
};
const dropType: Wrong = (request) => ({ ...request, headers: {} });

const WRONGS: readonly Wrong[] = [
  changeBody,
  changeBody,
  changeBody,
  changeBody,
  breakBody,
  changePath,
  changePath,
  changeQuery,
  changeMethod,
  changeHeader,
  changeHeader,
  dropType,
];

/** Only what a request line and a header can carry. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '').slice(0, 4_000);
}
