import type { Deployment } from '../../../deployment.ts';

export const API_VERSION = 'v1beta';

/** The URL of a call. The key is not in it: URLs end up in logs. */
export function endpointOf({ baseUrl }: Pick<Deployment, 'baseUrl'>, model: string, stream: boolean): string {
  const base = baseUrl.replace(/\/+$/, '');
  const root = /\/v\d+(?:alpha|beta\d*)?$/.test(base) ? base : `${base}/${API_VERSION}`;
  const name = model.includes('/') ? model : `models/${model}`;
  // Half of a surrogate pair cannot be encoded in a URL.
  const path = name.toWellFormed().split('/').map(encodeURIComponent).join('/');
  return `${root}/${path}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}
