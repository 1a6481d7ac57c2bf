import type { MiddlewareHandler } from 'hono';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // Pictures in messages, each after a click that names its host. Encrypted addresses only.
  "img-src 'self' data: https:",
  "font-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "manifest-src 'self'",
].join('; ');

/** The page's own frame that draws diagrams from texts of models: it can fetch nothing but its program. */
const FRAME = '/diagram.html';
const FRAME_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  headers.set('x-content-type-options', 'nosniff');
  const isFrame = context.req.path === FRAME;
  headers.set('x-frame-options', isFrame ? 'SAMEORIGIN' : 'DENY');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-resource-policy', 'same-origin');
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', isFrame ? FRAME_POLICY : CONTENT_SECURITY_POLICY);
  if (context.req.path.startsWith('/api/') && !headers.has('cache-control')) headers.set('cache-control', 'no-store');
};
