import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The path in the request line, where it differs from that of the URL. */
  readonly path?: string;
}

/** One request, with a Host, a method and a path that fetch() would not let a test choose. */
export function ask(url: string, { method = 'GET', headers = {}, body, path }: Question = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(
      url,
      { method, headers: { ...length, ...headers }, agent: false, ...(path === undefined ? {} : { path }) },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** The code of an answer that is a problem document; otherwise the answer itself. */
export function codeOf({ status, headers, body }: Answer): unknown {
  if (!(headers['content-type'] ?? '').startsWith('application/problem+json')) return { status, headers, body };
  const problem = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return problem['status'] === status && typeof problem['detail'] === 'string' ? problem['code'] : problem;
}
