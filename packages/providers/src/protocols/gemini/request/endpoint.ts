import type { Deployment } from '../../../deployment.ts';

export const API_VERSION = 'v1beta';

/** The URL of a call. The key is not in it: URLs end up in logs. */
export function endpointOf({ baseUrl }: Pick<Deployment, 'baseUrl'>, model: string, stream: boolean): string {
  const root = rootOf(baseUrl);
  const name = model.includes('/') ? model : `models/${model}`;
  // Half of a surrogate pair cannot be encoded in a URL.
  const path = name.toWellFormed().split('/').map(encodeURIComponent).join('/');
  return `${root}/${path}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

export function modelsUrl(baseUrl: string): string {
  return `${rootOf(baseUrl)}/models`;
}

function rootOf(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return /\/v\d+(?:alpha|beta\d*)?$/.test(base) ? base : `${base}/${API_VERSION}`;
}
