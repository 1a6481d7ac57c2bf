import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { line, makeRepository, REPOSITORY } from './testing/research-tree.ts';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';

let dataDir: string;
let server: TestServer | null = null;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-old-raw-'));
});
afterEach(async () => {
  await server?.stop();
  server = null;
  await rm(dataDir, { recursive: true, force: true });
});

const SIGNATURE = 'RXJNQkNrZ0lDeEFCR0FJaVFEc2lnbmF0dXJlIG9mIG9sZCBkYXRh';
const anthropic = (type: string, more: object) => ({ event: type, data: { type, ...more } });
const CLAUDE = [
  anthropic('message_start', {
    message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'claude-opus-5', usage: {} },
  }),
  anthropic('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  anthropic('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Oaks are tall.' } }),
  anthropic('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: SIGNATURE } }),
  anthropic('content_block_stop', { index: 0 }),
  anthropic('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
  anthropic('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Forty metres.' } }),
  anthropic('content_block_stop', { index: 1 }),
  anthropic('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: {} }),
  anthropic('message_stop', {}),
];
const REASONING = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: SIGNATURE };
const ANSWER = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Forty metres.', annotations: [] }],
};
const RESPONSES = {
  events: [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 0, item: REASONING },
    { type: 'response.output_item.done', output_index: 1, item: ANSWER },
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [REASONING, ANSWER] } },
  ],
};
const GEMINI = {
  stream: [
    {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Forty metres.', thoughtSignature: SIGNATURE }] },
          finishReason: 'STOP',
        },
      ],
    },
  ],
  response: null,
};

async function preview(provider: string, model: string, raw: unknown, env: Record<string, string> = {}) {
  const lines = [
    line('n1', null, 'user', 'How tall is an oak?'),
    line('n2', 'n1', 'assistant', 'Forty metres.', { modelUsed: model, provider, rawResponse: raw }),
  ];
  const lock = { provider, model, previousResponseId: null, isHidden: false };
  await makeRepository(dataDir, lines, { version: 1, branches: { main: lock } });
  server = await startTestServer({ BOUGH_STORE: 'git', ...env }, undefined, dataDir);
  await server.client.updateBranch(REPOSITORY, 'main', { thinking: 'high' });
  return server.client.context(REPOSITORY, { ref: 'main', message: 'And a beech?' });
}

describe('raw responses from before issuers named their endpoint', () => {
  it.each([
    ['anthropic', 'claude-opus-5', CLAUDE],
    ['openai_responses', 'gpt-5.6', RESPONSES],
    ['gemini', 'gemini-3.5-pro', GEMINI],
  ])('EN-50: go back verbatim to the model that made them: %s', async (provider, model, raw) => {
    const { request, report } = await preview(provider, model, raw);
    expect(request.body).toContain(SIGNATURE);
    expect(report.find(({ nodeId }) => nodeId === 'n2')).toMatchObject({ fidelity: 'verbatim', reasons: [] });
    if (provider === 'anthropic')
      expect((JSON.parse(request.body) as { messages: unknown[] }).messages[1]).toEqual({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Oaks are tall.', signature: SIGNATURE },
          { type: 'text', text: 'Forty metres.' },
        ],
      });
  });

  it('EN-50: stay out of requests to any other address', async () => {
    const { request } = await preview('anthropic', 'claude-opus-5', CLAUDE, {
      ANTHROPIC_BASE_URL: 'https://gateway.example/v1',
    });
    expect(request.url).toContain('gateway.example');
    expect(request.body).not.toContain(SIGNATURE);
    expect(request.body).toContain('Forty metres.');
  });
});
