/** As much of an OpenAPI document as a client needs. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
}

export interface Parameter {
  /** As it is called on the wire. */
  readonly name: string;
  /** As a client calls it: a path and a query may have a name in common. */
  readonly as: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** What an operation gives: a value, a stream of lines that are values, other bytes, or nothing. */
export type Result =
  | { readonly type: 'json'; readonly schema: Schema }
  | { readonly type: 'lines' | 'bytes' | 'nothing' };

export interface Operation {
  /** The name of the route, in camel case. */
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly inPath: readonly Parameter[];
  readonly inQuery: readonly Parameter[];
  readonly inHeader: readonly Parameter[];
  readonly body: { readonly type: 'json'; readonly schema: Schema } | { readonly type: 'bytes' } | null;
  readonly result: Result;
}

export function operationsOf({ paths }: OpenApi): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: operation.operationId,
      summary: operation.summary,
      method: method.toUpperCase(),
      path,
      inPath: parameters(operation, 'path'),
      inQuery: parameters(operation, 'query'),
      inHeader: parameters(operation, 'header'),
      body: bodyOf(operation),
      result: resultOf(operation),
    })),
  );
}

function parameters({ parameters: all = [] }: RawOperation, place: string): readonly Parameter[] {
  return all
    .filter((one) => one.in === place)
    .map(({ name, required, schema }) => {
      const isTwice = place !== 'path' && all.some((other) => other.in === 'path' && other.name === name);
      return { name, as: isTwice ? `${name}_in_${place}` : name, isRequired: required === true, schema };
    });
}

function bodyOf({ requestBody }: RawOperation): Operation['body'] {
  if (requestBody?.content === undefined) return null;
  const schema = requestBody.content['application/json']?.schema;
  return schema === undefined ? { type: 'bytes' } : { type: 'json', schema };
}

function resultOf({ responses }: RawOperation): Result {
  const done = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const contents = done.map(([, { content = {} }]) => content);
  // A route that streams may also answer with a value, if it is asked to; the stream is the usual case.
  if (contents.some((content) => 'application/x-ndjson' in content)) return { type: 'lines' };
  const schema = contents.map((content) => content['application/json']?.schema).find((one) => one !== undefined);
  if (schema !== undefined) return { type: 'json', schema };
  return { type: contents.some((content) => Object.keys(content).length > 0) ? 'bytes' : 'nothing' };
}

/** The name of a schema that is referred to. */
export function refName(ref: string): string {
  const name = ref.split('/').at(-1);
  if (name === undefined) throw new Error(`${ref} refers to nothing`);
  return name;
}
