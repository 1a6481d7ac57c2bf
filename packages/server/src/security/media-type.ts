import type { MiddlewareHandler } from 'hono';
import { HttpProblem } from '../problem.ts';

const JSON_TYPE = /^application\/json(?:; ?charset="?utf-8"?)?$/i;

/**
 * A body is JSON and says so. One without a type is refused as well: another site's page can send that without a
 * preflight, and a body that is not read must not count as an empty one.
 */
export const requireJson: MiddlewareHandler = async (context, next) => {
  if (!JSON_TYPE.test(context.req.header('content-type') ?? ''))
    throw new HttpProblem(
      415,
      'unsupported_media_type',
      'Send the body as JSON, with "Content-Type: application/json".',
    );
  await next();
};

/** What a file is, its bytes say. This type is one that another site's page cannot send without a preflight. */
export const requireBytes: MiddlewareHandler = async (context, next) => {
  if (context.req.header('content-type')?.toLowerCase() !== 'application/octet-stream')
    throw new HttpProblem(
      415,
      'unsupported_media_type',
      'Send the file as it is, with "Content-Type: application/octet-stream".',
    );
  await next();
};
