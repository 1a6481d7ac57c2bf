import type { UploadView } from '@bough/api/client';
import { createClient } from '@bough/api/client';
import { tell } from './refusal-words.ts';

/** Uploads a file; `onProgress` hears which share of it has left. */
export function upload(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<UploadView> {
  return createClient({ fetch: fetchWithProgress(onProgress), tell }).uploadBlob(file.name, file, signal);
}

/** `fetch` cannot tell how much it has sent; the older way can. */
function fetchWithProgress(onProgress: (share: number) => void): typeof fetch {
  return (input, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, input instanceof Request ? input.url : input);
      request.responseType = 'blob';
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
      request.onload = () => {
        const type = request.getResponseHeader('content-type');
        const answer = request.response as Blob;
        resolve(
          new Response(answer, {
            status: request.status,
            ...(type === null ? {} : { headers: { 'content-type': type } }),
          }),
        );
      };
      request.onerror = () => reject(new TypeError('The connection broke.'));
      request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body instanceof Blob ? body : null);
    });
}
