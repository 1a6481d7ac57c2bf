import { VERSION } from '@bough/core';
import * as routes from '../routes.ts';

/** What the generated document leaves open, for those who generate clients from it. */
interface Operation {
  operationId?: string | undefined;
  summary?: string | undefined;
  tags?: string[] | undefined;
  responses?: Record<string, { description?: string | undefined } | object> | undefined;
}

interface OpenApiDocument {
  readonly paths?: Record<string, object> | undefined;
  readonly components?: object | undefined;
}

/** What the document says of the interface as a whole. */
export const ABOUT = {
  openapi: '3.1.0',
  info: {
    title: 'Bough',
    version: VERSION,
    description: 'Branching conversations with reasoning models.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'This server' }],
  // A server without a token asks for none.
  security: [{ token: [] }, {}],
};

/**
 * The document with a name, a sentence and a group for every operation: the route's name here is the method's name in
 * every client.
 */
export function completeDocument<Document extends OpenApiDocument>(document: Document): Document {
  const names = new Map(Object.entries(routes).map(([name, { method, path }]) => [`${method} ${path}`, name]));
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]: [string, Operation]) => [
        method,
        { ...named(operation, names.get(`${method} ${path}`), path) },
      ]),
    ),
  ]);
  const securitySchemes = { token: { type: 'http', scheme: 'bearer', description: 'The value of BOUGH_TOKEN' } };
  return {
    ...document,
    paths: Object.fromEntries(paths) as Record<string, object>,
    components: { ...document.components, securitySchemes },
  };
}

function named(operation: Operation, operationId: string | undefined, path: string): Operation {
  if (operationId === undefined) throw new Error(`${path} is no route of packages/api/src/routes.ts`);
  const [, , group = 'api'] = path.split('/');
  const done = Object.entries(operation.responses ?? {}).find(([status]) => /^[23]/.test(status))?.[1];
  const summary = done !== undefined && 'description' in done ? done.description : undefined;
  return { operationId, summary: summary ?? operationId, tags: [group], ...operation };
}
