import { OpenAPIHono } from '@hono/zod-openapi';
import { randomUUID } from 'node:crypto';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { branchHandlers } from './handlers/branches.ts';
import { conversationHandlers } from './handlers/conversation.ts';
import { nodeHandlers } from './handlers/nodes.ts';
import type { App, Parts, RequestVariables } from './handlers/parts.ts';
import { projectHandlers } from './handlers/projects.ts';
import { systemHandlers } from './handlers/system.ts';
import { turnHandlers } from './handlers/turns.ts';
import type { Log } from './log.ts';
import { HttpProblem, toProblem } from './problem.ts';
import { checkOrigin, checkToken, limitRate, securityHeaders } from './security/index.ts';
import { pageHandlers } from './page/index.ts';

const MAX_BODY_BYTES = 8 * 1024 * 1024;
const DEFAULT_REQUESTS_PER_MINUTE = 6_000;

/** The application: who may ask, what they may ask, and how errors look. */
export function createApp(parts: Parts, log: Log): App {
  const { config, metrics } = parts;
  const app: App = new OpenAPIHono<RequestVariables>({
    defaultHook: (result) => {
      if (result.success) return;
      const [issue] = result.error.issues;
      const field = issue?.path.join('.') ?? '';
      throw new HttpProblem(
        422,
        'invalid_request',
        `${field === '' ? 'The request' : field}: ${issue?.message ?? 'is not valid.'}`,
        { field },
      );
    },
  });

  app.use(async (context, next) => {
    const requestId = randomUUID();
    context.set('requestId', requestId);
    const started = performance.now();
    await next();
    const milliseconds = Math.round(performance.now() - started);
    context.res.headers.set('x-request-id', requestId);
    metrics.request(context.req.method, context.res.status, milliseconds);
    // The path without its query: a query may hold what people searched for.
    log.info('request', {
      requestId,
      method: context.req.method,
      path: context.req.path,
      status: context.res.status,
      milliseconds,
    });
  });
  app.use(securityHeaders);
  app.use(checkOrigin(config));
  app.use(
    '/api/*',
    limitRate({
      requestsPerMinute: config.file.limits?.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE,
      now: Date.now,
    }),
  );
  app.use('/api/*', checkToken(config.token));
  app.use(
    '/api/*',
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw new HttpProblem(413, 'too_large', `A request may have at most ${MAX_BODY_BYTES} bytes.`);
      },
    }),
  );

  // The page's files alone: compressing a stream would hold its lines back.
  app.use('/assets/*', compress());

  app.onError((error, context) => {
    const problem = toProblem(readable(error), context.get('requestId'));
    if (problem.status >= 500)
      log.error('request_failed', {
        requestId: problem.requestId,
        path: context.req.path,
        message: error.message,
        stack: error.stack,
      });
    return Response.json(problem, { status: problem.status, headers: { 'content-type': 'application/problem+json' } });
  });

  projectHandlers(app, parts);
  branchHandlers(app, parts);
  turnHandlers(app, parts);
  conversationHandlers(app, parts);
  nodeHandlers(app, parts);
  systemHandlers(app, parts);
  app.doc31('/api/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Bough', version: '0.1.0', description: 'Branching conversations with reasoning models.' },
  });
  app.all('/api/*', (context) => {
    throw new HttpProblem(404, 'no_route', `There is no ${context.req.method} ${context.req.path}.`);
  });
  pageHandlers(app, config.webDir);
  return app;
}

/** A body that is not JSON is the client's mistake, not ours. */
function readable(error: Error): unknown {
  if ('getResponse' in error && 'status' in error && error.status === 400) {
    return new HttpProblem(400, 'malformed_json', 'The body is not valid JSON.');
  }
  return error;
}
