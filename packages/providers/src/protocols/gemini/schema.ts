import { isPlainObject } from '@bough/core';
import { placeIn } from '../../files/place.ts';
import type { FieldType, MessageFields } from './fields.ts';
import { GENERATE_CONTENT } from './fields.ts';
import type { ParsedRequest, ShapeProblem, WireRequest } from './wire.ts';
import { PAYLOAD_FIELDS } from './wire.ts';

/**
 * Reads any value as a request, the way Google's JSON parser does. Never throws; what does not fit is a problem with a
 * path.
 */
export function readRequest(body: unknown): ParsedRequest {
  const problems: ShapeProblem[] = [];
  const request = readMessage(body, GENERATE_CONTENT, '', problems, 0);
  const { contents } = request;
  if (Array.isArray(contents)) {
    contents.forEach((content: unknown, index) => findTwoPayloads(content, `contents[${index}]`, problems));
  }
  // The table gave every known field its type; only what the interfaces leave open is still unknown.
  return { request: withLists(request) as WireRequest, problems };
}

/**
 * Google's parser also gives up at this depth. Without a limit, a body of nothing but brackets would exhaust the stack.
 */
const MAX_DEPTH = 100;

function readMessage(
  value: unknown,
  fields: MessageFields,
  path: string,
  problems: ShapeProblem[],
  depth: number,
): Record<string, unknown> {
  if (!isPlainObject(value) || depth > MAX_DEPTH) {
    problems.push(wrongType(path, 'message'));
    return {};
  }
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const known = camelCase(name);
    const type = Object.hasOwn(fields, known) ? fields[known] : undefined;
    if (type === undefined) {
      problems.push(unknownField(path, name));
      result[name] = field;
    } else if (field !== null) {
      // A null is the same as an absent field.
      const read = readField(field, type, join(path, snakeCase(known)), problems, depth + 1);
      if (read !== undefined) result[known] = read;
    }
  }
  return result;
}

function readField(value: unknown, type: FieldType, path: string, problems: ShapeProblem[], depth: number): unknown {
  if (typeof type === 'string') return readScalar(value, type, path, problems);
  if ('message' in type) return readMessage(value, type.message(), path, problems, depth);
  if ('map' in type) return readMap(value, type.map, path, problems, depth);
  // A single value counts as a list of one.
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item, index) => readField(item, type.list, `${path}[${index}]`, problems, depth)).filter(isDefined);
}

function readMap(value: unknown, type: FieldType, path: string, problems: ShapeProblem[], depth: number): unknown {
  if (!isPlainObject(value)) {
    problems.push(wrongType(path, 'message'));
    return undefined;
  }
  const entries = Object.entries(value).map(
    ([key, item], index) => [key, readField(item, type, `${path}[${index}].value`, problems, depth)] as const,
  );
  return Object.fromEntries(entries);
}

type Scalar = Extract<FieldType, string>;

const SCALARS: Readonly<Record<Scalar, { readonly label: string; readonly fits: (value: unknown) => boolean }>> = {
  string: { label: 'TYPE_STRING', fits: (value) => typeof value === 'string' },
  bool: { label: 'TYPE_BOOL', fits: (value) => typeof value === 'boolean' },
  number: { label: 'TYPE_DOUBLE', fits: (value) => typeof value === 'number' },
  integer: {
    label: 'TYPE_INT32',
    fits: (value) => Number.isInteger(typeof value === 'string' ? Number(value) : value),
  },
  bytes: { label: 'TYPE_BYTES', fits: (value) => typeof value === 'string' },
  enum: { label: 'TYPE_ENUM', fits: (value) => typeof value === 'string' || Number.isInteger(value) },
  struct: { label: 'type.googleapis.com/google.protobuf.Struct', fits: isPlainObject },
  any: { label: 'type.googleapis.com/google.protobuf.Value', fits: () => true },
};

function readScalar(value: unknown, type: Scalar, path: string, problems: ShapeProblem[]): unknown {
  const { label, fits } = SCALARS[type];
  if (!fits(value)) {
    problems.push(wrongType(path, label));
    return undefined;
  }
  if (type === 'bytes' && typeof value === 'string' && !isBase64(value) && placeIn(value) === null) {
    problems.push({
      kind: 'bad_base64',
      path,
      status: 400,
      message: `Invalid value at '${path}' (TYPE_BYTES), Base64 decoding failed`,
    });
  }
  // Both are also accepted in the other form; the rules see only one.
  if (type === 'enum') return String(value);
  return type === 'integer' ? Number(value) : value;
}

/** Standard and URL-safe alphabet, with or without padding: the parser accepts them all. */
export function isBase64(text: string): boolean {
  const letters = text.replace(/={0,2}$/, '');
  return /^[A-Za-z0-9+/_-]*$/.test(letters) && letters.length % 4 !== 1;
}

function findTwoPayloads(content: unknown, path: string, problems: ShapeProblem[]): void {
  if (!isPlainObject(content) || !Array.isArray(content['parts'])) return;
  content['parts'].forEach((part: unknown, index) => {
    if (!isPlainObject(part)) return;
    const [, second] = PAYLOAD_FIELDS.filter((field) => part[field] !== undefined);
    if (second === undefined) return;
    problems.push({
      kind: 'two_payloads',
      path: `${path}.parts[${index}]`,
      status: 400,
      message: `Invalid value at '${path}.parts[${index}]' (oneof), oneof field 'data' is already set. Cannot set '${second}'`,
    });
  });
}

/** Lists that the interfaces promise are present even if the request has none. */
function withLists(request: Record<string, unknown>): Record<string, unknown> {
  const { contents, systemInstruction } = request;
  const result: Record<string, unknown> = {
    ...request,
    contents: Array.isArray(contents) ? contents.map(withParts) : [],
  };
  if (systemInstruction !== undefined) result['systemInstruction'] = withParts(systemInstruction);
  return result;
}

function withParts(content: unknown): unknown {
  return isPlainObject(content) && content['parts'] === undefined ? { ...content, parts: [] } : content;
}

function unknownField(path: string, name: string): ShapeProblem {
  const at = path === '' ? '' : ` at '${path}'`;
  return {
    kind: 'unknown_field',
    path: join(path, name),
    status: 400,
    message: `Invalid JSON payload received. Unknown name "${name}"${at}: Cannot find field.`,
  };
}

function wrongType(path: string, label: string): ShapeProblem {
  return { kind: 'wrong_type', path, status: 400, message: `Invalid value at '${path}' (${label})` };
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}
