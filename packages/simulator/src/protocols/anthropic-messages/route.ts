import type { SimulatedRequest } from '../../simulated-protocol.ts';

/** What a path asks for. Any prefix, such as a proxy's, may precede it. */
export type Route =
  | { readonly type: 'messages' }
  | { readonly type: 'count' }
  | { readonly type: 'files' }
  | { readonly type: 'remove_file'; readonly id: string }
  | { readonly type: 'models' }
  | { readonly type: 'model'; readonly model: string };

export function routeOf({ method, path, headers }: SimulatedRequest): Route | null {
  if (method === 'POST') {
    if (path.endsWith('/v1/messages')) return { type: 'messages' };
    if (path.endsWith('/v1/files') && headers['anthropic-version'] !== undefined) return { type: 'files' };
    return path.endsWith('/v1/messages/count_tokens') ? { type: 'count' } : null;
  }
  const removed = method === 'DELETE' ? /\/v1\/files\/([^/]+)$/.exec(path) : null;
  if (removed !== null && headers['anthropic-version'] !== undefined)
    return { type: 'remove_file', id: decodeURIComponent(removed[1] ?? '') };
  // `/v1/models` and `/v1/files` are OpenAI's too: the version header shows whose client is asking.
  const listed = /\/v1\/models(?:\/([^/]+))?$/.exec(path);
  if (method !== 'GET' || listed === null || headers['anthropic-version'] === undefined) return null;
  return listed[1] === undefined ? { type: 'models' } : { type: 'model', model: decodeURIComponent(listed[1]) };
}
