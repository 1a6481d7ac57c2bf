import type { ServerResponse } from 'node:http';
import { sha256 } from '@bough/core';
import type { Answer } from '../simulated-protocol.ts';

export function send(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  response.end(answer.type === 'body' ? answer.body : answer.frames.join(''));
}

export function writeHead(response: ServerResponse, answer: Answer): void {
  const type = answer.type === 'stream' ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
  response.writeHead(answer.type === 'stream' ? 200 : answer.status, {
    'content-type': type,
    'cache-control': 'no-store',
    ...answer.headers,
  });
}

export function jsonAnswer(status: number, value: unknown): Answer {
  return { type: 'body', status, body: JSON.stringify(value) };
}

/** The id under which a provider would find a request again. The same request always has the same one. */
export function requestId(request: string): string {
  return `req_${sha256(request).slice(0, 32)}`;
}
