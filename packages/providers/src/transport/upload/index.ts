import type { StreamError } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import { connectionError, createRedactor, streamError } from '../../errors/index.ts';
import type { Protocol } from '../../protocol.ts';

/** A file for the provider, whole: what is larger than this is not brought. */
export interface UploadedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export const MOST_UPLOADED_BYTES = 64 * 1024 * 1024;

export type Uploaded =
  | { readonly type: 'stored'; readonly id: string }
  | { readonly type: 'refused'; readonly error: StreamError };

export interface Upload {
  readonly file: UploadedFile;
  readonly deployment: Deployment;
  readonly key: string | null;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  readonly readError: Protocol['readError'];
}

const MAX_ANSWER = 64 * 1024;

/** Gives the provider a file and returns its id there. One attempt; never rejects. */
export async function upload({ file, deployment, key, fetch, signal, readError }: Upload): Promise<Uploaded> {
  const { filesApi, headers: own, authorize, label } = deployment;
  if (filesApi === undefined) return refused(streamError('invalid_request', `${label} takes no files.`, false));
  const url = filesApi.url(deployment.baseUrl);
  const redact = createRedactor(key === null ? [] : [key]);
  try {
    const form = new FormData();
    for (const [name, value] of Object.entries(filesApi.fields)) form.append(name, value);
    form.append('file', new Blob([file.bytes], { type: file.mediaType }), file.name);
    const headers = { accept: 'application/json', ...own, ...filesApi.headers };
    const secrets = key === null ? {} : authorize(key, { method: 'POST', url, headers, body: '' });
    // A redirect would carry the key to wherever it points.
    const response = await fetch(url, {
      method: 'POST',
      body: form,
      headers: { ...headers, ...secrets },
      redirect: 'manual',
      signal,
    });
    const text = (await response.text()).slice(0, MAX_ANSWER);
    if (!response.ok) {
      const error = readError(response.status, text);
      return refused({ ...error, message: redact(error.message) });
    }
    const answer: unknown = JSON.parse(text);
    const id = isPlainObject(answer) ? answer['id'] : undefined;
    if (typeof id === 'string' && id !== '') return { type: 'stored', id };
    return refused(streamError('malformed', `${label} gave the file no id.`, false));
  } catch (error) {
    if (error instanceof SyntaxError)
      return refused(streamError('malformed', `${label} answered with something else than JSON.`, false));
    const failed = connectionError(error, new URL(url).host);
    return refused({ ...failed, message: redact(failed.message) });
  }
}

const refused = (error: StreamError): Uploaded => ({ type: 'refused', error });
