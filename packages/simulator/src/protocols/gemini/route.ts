import type { SimulatedRequest } from '../../simulated-protocol.ts';

/** What a path asks for. Any prefix may precede it: a proxy's, or Vertex's project and location. */
export type Route =
  | { readonly type: 'generate'; readonly model: string; readonly form: 'whole' | 'events' | 'array' }
  | { readonly type: 'count'; readonly model: string }
  | { readonly type: 'models' }
  | { readonly type: 'model'; readonly model: string };

const METHOD = /\/(?:models|tunedModels)\/([^:]+):(generateContent|streamGenerateContent|countTokens)$/;

export function routeOf({ method, path, query }: SimulatedRequest): Route | null {
  const decoded = decode(path);
  if (method === 'POST') {
    const [, model, verb] = METHOD.exec(decoded) ?? [];
    if (model === undefined) return null;
    if (verb === 'countTokens') return { type: 'count', model };
    if (verb === 'generateContent') return { type: 'generate', model, form: 'whole' };
    return { type: 'generate', model, form: query.get('alt') === 'sse' ? 'events' : 'array' };
  }
  // `/v1/models` is OpenAI's; Google's clients ask for the beta.
  const listed = /\/v1(?:alpha|beta\d*)\/models(?:\/([^/]+))?$/.exec(decoded);
  if (method !== 'GET' || listed === null) return null;
  return listed[1] === undefined ? { type: 'models' } : { type: 'model', model: listed[1] };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
