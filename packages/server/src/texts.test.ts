import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from './testing/ask.ts';
import { ask, codeOf } from './testing/ask.ts';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';

let server: TestServer;
let project: string;
let node: string;
beforeAll(async () => {
  server = await startTestServer();
  project = (await server.client.createProject({})).project.id;
  await (await server.client.chat(project, { ref: 'main', message: 'hi' })).text();
  node = (await server.client.graph(project)).nodes[0]?.id ?? '';
});
afterAll(() => server.dispose());

const send = (method: string, path: string, body: unknown): Promise<Answer> =>
  ask(`${server.url}/api${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const at = (path: string): string => `/projects/${project}${path}`;

describe('what a text may be', () => {
  const long = 'x'.repeat(600_000);

  it.each([
    [
      'two blocks',
      [
        { type: 'text', text: long },
        { type: 'text', text: long },
      ],
    ],
    ['a field beside the text', [{ type: 'text', text: 'x', more: { deep: [long, long] } }]],
    ['names of fields', [{ type: 'text', text: 'x', [long]: 1, [`${long}y`]: 2 }]],
    ['one block', [{ type: 'text', text: long + long }]],
    ['a text', long + long],
  ])('SV-34: the characters of a message are counted over all of it: %s', async (_, content) => {
    for (const [method, path, body] of [
      ['POST', at('/chat'), { ref: 'main', message: content }],
      ['POST', at('/edit'), { nodeId: node, content }],
      ['POST', at('/context'), { ref: 'main', message: content }],
      ['POST', `/nodes/${node}/append`, { messages: [{ role: 'user', content }] }],
      ['PUT', `/nodes/${node}/content`, { content }],
    ] as const) {
      const answer = await send(method, path, body);
      expect([answer.status, codeOf(answer)], path).toEqual([422, 'invalid_request']);
    }
  });

  it('SV-34: a message of exactly the limit is taken, in one block or in many', async () => {
    for (const content of [
      [{ type: 'text', text: 'x'.repeat(1_000_000) }],
      Array.from({ length: 1000 }, () => ({ type: 'text', text: 'x'.repeat(1000) })),
      'x'.repeat(1_000_000),
    ])
      expect((await send('PUT', `/nodes/${node}/content`, { content })).status).toBe(201);
  });

  it('SV-34: a block that is nested without end is refused, not recursed into', async () => {
    const body = `{"content":[{"type":"text","text":"x","more":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await ask(`${server.url}/api/nodes/${node}/content`, { method: 'PUT', headers, body });
    expect(answer.status).toBe(422);
  });

  it.each(['\ud800', 'a\udc00b', 'nul\0'])('SV-35: %j is no name, no id and no model', async (text) => {
    for (const [method, path, body] of [
      ['POST', '/projects', { name: text }],
      ['POST', '/projects', { model: text }],
      ['POST', '/projects', { provider: text }],
      ['POST', '/projects', { tools: [text] }],
      ['PATCH', at(''), { name: text }],
      ['POST', at('/branches'), { name: text }],
      ['POST', at('/branches'), { fromRef: text }],
      ['POST', at('/branches'), { model: text }],
      ['PATCH', at('/branches/main'), { name: text }],
      ['PATCH', at('/branches/main'), { color: text }],
      ['POST', at('/chat'), { ref: text, message: 'x' }],
      ['POST', at('/chat'), { ref: 'main', message: 'x', clientRequestId: text }],
      ['POST', at('/edit'), { nodeId: node, content: 'x', llmProvider: 'simulated_gemini', llmModel: text }],
      ['POST', at('/context'), { ref: 'main', target: { provider: 'simulated_gemini', model: text } }],
      ['POST', at('/approve'), { turnId: text, toolCallId: text, approve: true }],
      ['PUT', '/defaults', { provider: 'simulated', model: text }],
      ['PUT', '/providers/anthropic/key', { key: text }],
    ] as const) {
      const answer = await send(method, path, body);
      expect([answer.status, codeOf(answer)], `${path} ${JSON.stringify(body)}`).toEqual([422, 'invalid_request']);
    }
  });

  it('SV-35: names of models, providers and branches have an end', async () => {
    const text = 'x'.repeat(500_000);
    for (const [method, path, body] of [
      ['POST', at('/chat'), { ref: text, message: 'x' }],
      ['POST', at('/chat'), { ref: 'main', message: 'x', llmModel: text }],
      ['POST', at('/chat'), { ref: 'main', message: 'x', llmProvider: text }],
      ['POST', at('/branches'), { fromRef: text }],
      ['POST', at('/approve'), { turnId: 'x', toolCallId: text, approve: true }],
      ['PUT', '/defaults', { provider: 'simulated', model: text }],
    ] as const) {
      const answer = await send(method, path, body);
      expect([answer.status, codeOf(answer)], path).toEqual([422, 'invalid_request']);
    }
  });

  it('SV-36: a provider that is not there is told as such everywhere', async () => {
    for (const [method, path, body] of [
      ['POST', '/projects', { provider: 'nobody' }],
      ['POST', at('/branches'), { provider: 'nobody' }],
      ['POST', at('/edit'), { nodeId: node, content: 'x', llmProvider: 'nobody' }],
      ['POST', at('/chat'), { ref: 'main', message: 'x', llmProvider: 'nobody' }],
      ['POST', at('/regenerate'), { ref: 'main', nodeId: node, llmProvider: 'nobody' }],
      ['POST', at('/context'), { ref: 'main', target: { provider: 'nobody' } }],
      ['PUT', '/defaults', { provider: 'nobody', model: 'x' }],
      ['PUT', '/providers/nobody/key', { key: 'x' }],
      ['DELETE', '/providers/nobody/key', {}],
      ['PUT', '/providers/nobody/base-url', { baseUrl: null }],
      ['PUT', '/providers/__proto__/key', { key: 'x' }],
    ] as const) {
      const answer = await send(method, path, body);
      expect([answer.status, codeOf(answer)], path).toEqual([404, 'unknown_provider']);
      expect(answer.body, path).toContain('simulated');
    }
  });
});
