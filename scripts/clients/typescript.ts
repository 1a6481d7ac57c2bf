import type { OpenApi, Operation, Schema } from './document.ts';
import { operationsOf, refName } from './document.ts';

/** The types of every operation and value, and one function that sends; what other generators make, in one file. */
export function typescriptClient(document: OpenApi): string {
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const operations = operationsOf(document);
  return [
    ...types,
    `export interface Operations {\n${operations.map(signature).join('\n')}\n}`,
    `const ROUTES = {\n${operations.map(route).join('\n')}\n} as const;`,
    SEND,
  ].join('\n\n');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ') || 'never';
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return several.map((one) => `(${typeOf(one)})`).join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ');
  const names = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return names.map((name) => simpleType(name, schema)).join(' | ') || 'unknown';
}

function simpleType(name: string, schema: Schema): string {
  if (name === 'integer') return 'number';
  if (['string', 'number', 'boolean', 'null'].includes(name)) return name;
  if (name === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.properties === undefined) {
    const { additionalProperties: more } = schema;
    return `Readonly<Record<string, ${typeof more === 'object' ? typeOf(more) : 'unknown'}>>`;
  }
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(
    ([field, value]) => `${JSON.stringify(field)}${required.has(field) ? '' : '?'}: ${typeOf(value)};`,
  );
  return `{ ${fields.join(' ')} }`;
}

function signature({ name, summary, inPath, inQuery, inHeader, body, result }: Operation): string {
  const fields = [
    ...inPath.map((one) => `${JSON.stringify(one.name)}: string;`),
    ...[...inQuery, ...inHeader].map(
      (one) => `${JSON.stringify(one.as)}${one.isRequired ? '' : '?'}: ${typeOf(one.schema)};`,
    ),
    ...(body === null ? [] : [`body: ${body.type === 'json' ? typeOf(body.schema) : 'Uint8Array<ArrayBuffer>'};`]),
  ];
  const gives = result.type === 'json' ? typeOf(result.schema) : result.type === 'nothing' ? 'null' : 'Response';
  return `  /** ${summary} */\n  ${name}: { takes: { ${fields.join(' ')} }; gives: ${gives} };`;
}

function route({ name, method, path, inQuery, inHeader, result }: Operation): string {
  const names = (parameters: Operation['inQuery']) => JSON.stringify(parameters.map((one) => [one.name, one.as]));
  const gives = JSON.stringify(result.type);
  return `  ${name}: { method: '${method}', path: '${path}', query: ${names(inQuery)}, headers: ${names(inHeader)}, gives: ${gives} },`;
}

const SEND = `export async function send<Name extends keyof Operations>(
  base: string,
  name: Name,
  given: Operations[Name]['takes'],
  token?: string,
): Promise<Operations[Name]['gives']> {
  const { method, path, query, headers: inHeader, gives } = ROUTES[name];
  const values = given as Readonly<Record<string, unknown>>;
  const filled = path.replaceAll(/\\{(\\w+)\\}/g, (_, key: string) => encodeURIComponent(String(values[key])));
  const present = (names: readonly (readonly [string, string])[]): [string, string][] =>
    names.filter(([, as]) => values[as] !== undefined).map(([key, as]) => [key, String(values[as])]);
  const asked = new URLSearchParams(present(query)).toString();
  const headers = new Headers(present(inHeader));
  if (token !== undefined) headers.set('authorization', \`Bearer \${token}\`);
  const { body } = values;
  const isBytes = body instanceof Uint8Array;
  if (body !== undefined) headers.set('content-type', isBytes ? 'application/octet-stream' : 'application/json');
  const response = await fetch(base + filled + (asked === '' ? '' : \`?\${asked}\`), {
    method,
    headers,
    ...(body === undefined ? {} : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
  const answer: unknown = gives === 'json' ? await response.json() : gives === 'nothing' ? null : response;
  return answer as Operations[Name]['gives'];
}
`;
