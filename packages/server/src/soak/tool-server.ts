import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPlainObject } from '@bough/core';

/** Tools that take their time, served over HTTP as MCP: they outlive the servers that call them. */
export interface ToolServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** How long each tool takes, in milliseconds. `asked` is the one that a person has to allow. */
export const WAITS: Readonly<Record<string, readonly [number, number]>> = {
  quick: [0, 5],
  middle: [80, 200],
  slow: [400, 900],
  asked: [0, 50],
};

export async function startToolServer(): Promise<ToolServer> {
  let calls = 0;
  const call = async (name: string): Promise<string> => {
    const [low, high] = WAITS[name] ?? [0, 0];
    const ms = low + Math.floor(Math.random() * (high - low + 1));
    // No two results are alike: a lost one cannot be taken for another.
    calls += 1;
    const number = calls;
    await sleep(ms);
    return `Result ${number} of ${name}, after ${ms} ms.`;
  };
  const server = createServer((request, response) => {
    answer(request, response, call).catch((error: unknown) => {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  call: (name: string) => Promise<string>,
): Promise<void> {
  // The server sends nothing unsolicited: there is no stream to open.
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  const message: unknown = JSON.parse(body);
  if (!isPlainObject(message) || message['id'] === undefined) return void response.writeHead(202).end();
  const result = await resultOf(message, call);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }));
}

async function resultOf(message: Record<string, unknown>, call: (name: string) => Promise<string>): Promise<unknown> {
  const parameters = isPlainObject(message['params']) ? message['params'] : {};
  switch (message['method']) {
    case 'initialize':
      return {
        protocolVersion: parameters['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'soak', version: '1' },
      };
    case 'tools/list':
      return {
        tools: Object.keys(WAITS).map((name) => ({
          name,
          description: `Waits for a while (${name}).`,
          inputSchema: { type: 'object', properties: {} },
        })),
      };
    case 'tools/call':
      return { content: [{ type: 'text', text: await call(String(parameters['name'])) }] };
    default:
      return {};
  }
}
