import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { say, startTestServer } from '../testing/start.ts';

const received: string[] = [];
const collector = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    received.push(body);
    response.end('{}');
  });
});
beforeAll(() => new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', () => resolve())));
afterAll(() => new Promise<void>((resolve) => void collector.close(() => resolve())));

it('SV-16: with a collector set, every call is a span with the GenAI names and without content', async () => {
  const { port } = collector.address() as AddressInfo;
  const server = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  try {
    const { project } = await server.client.createProject({});
    await say(server.client, project.id, 'main', 'a very private sentence');
  } finally {
    await server.dispose();
  }
  const sent = received.join('');
  expect(sent).toContain('gen_ai.request.model');
  expect(sent).toContain('gen_ai.usage.output_tokens');
  expect(sent).not.toContain('private sentence');
});
