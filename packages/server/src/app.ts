import { ABOUT, completeDocument, routes } from '@bough/api';
import { OpenAPIHono } from '@hono/zod-openapi';
import { randomUUID } from 'node:crypto';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import type { MiddlewareHandler } from 'hono';
import { branchHandlers } from './handlers/branches.ts';
import { compactionHandlers } from './handlers/compaction.ts';
import { mergeHandlers } from './handlers/merge.ts';
import { conversationHandlers } from './handlers/conversation.ts';
import { gatewayHandlers } from './handlers/gateway.ts';
import { libraryHandlers } from './handlers/library.ts';
import { datasetHandlers } from './handlers/datasets.ts';
import { fileHandlers } from './handlers/files.ts';
import { nodeHandlers } from './handlers/nodes.ts';
import type { App, Parts, RequestVariables } from './handlers/parts.ts';
import { roundHandlers } from './handlers/rounds.ts';
import { questionHandlers } from './handlers/questions.ts';
import { searchHandlers } from './handlers/search.ts';
import { projectHandlers } from './handlers/projects.ts';
import { costHandlers } from './handlers/costs.ts';
import { settingsHandlers } from './handlers/settings.ts';
import { systemHandlers } from './handlers/system.ts';
import { transferHandlers } from './handlers/transfer.ts';
import { canvasHandlers } from './handlers/canvas.ts';
import { annotationHandlers } from './handlers/annotations.ts';
import { trashHandlers } from './handlers/trash.ts';
import { turnHandlers } from './handlers/turns.ts';
import { askHandlers } from './handlers/ask.ts';
import type { Log } from './log.ts';
import { invalidRequest } from './invalid-request/index.ts';
import { HttpProblem, problemResponse, toProblem } from './problem.ts';
import type { Access } from './security/index.ts';
import {
  checkOrigin,
  checkToken,
  createRateLimit,
  createSessions,
  limitRate,
  requireBytes,
  requireJson,
  securityHeaders,
} from './security/index.ts';
import { pageHandlers } from './page/index.ts';

const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** What a client may send before it has shown the token. */
const MAX_SESSION_BYTES = 16 * 1024;
const DEFAULT_REQUESTS_PER_MINUTE = 6_000;
const WRONG_TOKENS_PER_MINUTE = 60;
const MAX_LOGGED_PATH = 300;
const WHOLE_ANSWERS = /^(?:application\/(?:problem\+)?json|text\/plain)(?:;|$)/;

/** The application: who may ask, what they may ask, and how errors look. */
export function createApp(parts: Parts, log: Log): App {
  const { config, metrics } = parts;
  const access: Access = {
    sessions: config.token === null ? null : createSessions(config.token, parts.settings),
    wrongTokens: createRateLimit(WRONG_TOKENS_PER_MINUTE, Date.now),
  };
  const app: App = new OpenAPIHono<RequestVariables>({
    defaultHook: (result) => {
      if (result.success) return;
      throw invalidRequest(result.error.issues);
    },
  });

  app.use(async (context, next) => {
    const requestId = randomUUID();
    context.set('requestId', requestId);
    const started = performance.now();
    await next();
    // Its answer has no body: whatever would have produced one is stopped, or a stream that nobody reads would stay
    // open for ever.
    if (context.req.method === 'HEAD') await context.res.body?.cancel();
    const milliseconds = Math.round(performance.now() - started);
    context.res.headers.set('x-request-id', requestId);
    metrics.request(context.req.method, context.res.status, milliseconds);
    // The path without its query, which may hold what people searched for.
    log.info('request', {
      requestId,
      method: context.req.method,
      path: shortPath(context.req.path),
      status: context.res.status,
      milliseconds,
    });
  });
  app.use(securityHeaders);
  app.use(checkOrigin(config));
  // The token first: rejected clients must not use up the rate limit of accepted ones.
  app.use('/api/*', checkToken(config.token, access));
  app.use(
    '/api/*',
    limitRate(createRateLimit(config.file.limits?.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE, Date.now)),
  );
  app.use(routes.openSession.path, limitBody(MAX_SESSION_BYTES));
  const limitJson = limitBody(MAX_BODY_BYTES);
  // Files go to the disk, are never in memory as a whole, and have limits of their own.
  const takesFiles = new Set<string>([routes.importFile.path, routes.uploadBlob.path]);
  app.use('/api/*', (context, next) => (takesFiles.has(context.req.path) ? next() : limitJson(context, next)));
  for (const route of Object.values(routes))
    if ('request' in route && 'body' in route.request)
      app.on(route.method, route.getRoutingPath(), isJson(route.request.body) ? requireJson : requireBytes);

  app.use('/assets/*', compress());
  // Whole answers only: compressing a stream would hold back its lines. No answer contains a token or a key, so the
  // length of a compressed one gives none away.
  app.use('/api/*', compress({ contentTypeFilter: WHOLE_ANSWERS }));

  app.onError((error, context) => {
    const problem = toProblem(readable(error), context.get('requestId'));
    // 502 is a provider's failure: it is counted among the calls, and nobody has to look for it in Bough.
    if (problem.status >= 500 && problem.status !== 502)
      log.error('request_failed', {
        requestId: problem.requestId,
        path: shortPath(context.req.path),
        message: error.message,
        stack: error.stack,
      });
    return problemResponse(problem, error instanceof HttpProblem ? error.headers : {});
  });

  projectHandlers(app, parts);
  branchHandlers(app, parts);
  turnHandlers(app, parts);
  askHandlers(app, parts);
  conversationHandlers(app, parts);
  compactionHandlers(app, parts);
  mergeHandlers(app, parts);
  searchHandlers(app, parts);
  nodeHandlers(app, parts);
  trashHandlers(app, parts);
  annotationHandlers(app, parts);
  canvasHandlers(app, parts);
  questionHandlers(app, parts);
  libraryHandlers(app, parts);
  roundHandlers(app, parts);
  datasetHandlers(app, parts);
  transferHandlers(app, parts, log);
  fileHandlers(app, parts);
  gatewayHandlers(app, parts);
  systemHandlers(app, parts, access);
  settingsHandlers(app, parts);
  costHandlers(app, parts);
  app.get('/api/openapi.json', (context) => context.json(completeDocument(app.getOpenAPI31Document(ABOUT))));
  app.all('/api/*', (context) => {
    const { method, path } = context.req;
    const allowed = methodsOf(path);
    if (allowed.length === 0) throw new HttpProblem(404, 'no_route', `There is no ${method} ${shortPath(path)}.`);
    const detail = `${shortPath(path)} does not take ${method}, only ${allowed.join(' and ')}.`;
    throw new HttpProblem(405, 'method_not_allowed', detail, { allowed }, { allow: allowed.join(', ') });
  });
  pageHandlers(app, config.webDir);
  app.notFound((context) => {
    throw new HttpProblem(404, 'no_route', `There is no ${context.req.method} ${shortPath(context.req.path)}.`);
  });
  return app;
}

/** Every route as a pattern of its addresses. */
const PATTERNS = Object.values(routes).map((route) => ({
  method: route.method.toUpperCase(),
  pattern: new RegExp(`^${route.getRoutingPath().replaceAll(/:[A-Za-z]+/g, '[^/]+')}$`),
}));

/** The methods that an address takes; none where there is no such address. */
function methodsOf(path: string): readonly string[] {
  return [...new Set(PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].sort();
}

/** A body that is not JSON, or breaks off, is the client's error, not ours. */
function readable(error: Error): unknown {
  // Node's error for a client that left while sending; nobody reads the answer, but it is counted.
  if (error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET')
    return new HttpProblem(400, 'client_left', 'The connection was closed before the whole request had come.');
  if (!(error instanceof HTTPException) || error.status >= 500) return error;
  return error.status === 400
    ? new HttpProblem(400, 'malformed_json', 'The body is not valid JSON.')
    : new HttpProblem(error.status, 'refused', error.message);
}

function isJson({ content }: { readonly content: object }): boolean {
  return 'application/json' in content;
}

function limitBody(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new HttpProblem(413, 'too_large', `A request may have at most ${maxSize} bytes here.`);
    },
  });
}

function shortPath(path: string): string {
  return path.length <= MAX_LOGGED_PATH ? path : `${path.slice(0, MAX_LOGGED_PATH)}…`;
}
