import type { SimulatedRequest } from '../../simulated-protocol.ts';

/** What a path asks for. Any prefix, such as a proxy's, may precede it. */
export type Route =
  | { readonly type: 'messages' }
  | { readonly type: 'count' }
  | { readonly type: 'models' }
  | { readonly type: 'model'; readonly model: string };

export function routeOf({ method, path, headers }: SimulatedRequest): Route | null {
  if (method === 'POST') {
    if (path.endsWith('/v1/messages')) return { type: 'messages' };
    return path.endsWith('/v1/messages/count_tokens') ? { type: 'count' } : null;
  }
  // `/v1/models` is OpenAI's too: the version header shows whose client is asking.
  const listed = /\/v1\/models(?:\/([^/]+))?$/.exec(path);
  if (method !== 'GET' || listed === null || headers['anthropic-version'] === undefined) return null;
  return listed[1] === undefined ? { type: 'models' } : { type: 'model', model: decodeURIComponent(listed[1]) };
}
