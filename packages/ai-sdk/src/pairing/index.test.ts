import type { ModelMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lab } from '../testing/lab.ts';
import { ask, openLab, user } from '../testing/lab.ts';
import { pairToolCallsInModelMessages } from './index.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const call = (toolCallId: string, more: object = {}) => ({
  type: 'tool-call' as const,
  toolCallId,
  toolName: 'calculator',
  input: { expression: '1 + 1' },
  ...more,
});
const result = (toolCallId: string, value = '2') => ({
  type: 'tool-result' as const,
  toolCallId,
  toolName: 'calculator',
  output: { type: 'text' as const, value },
});
const reply = (...content: ReturnType<typeof call>[]): ModelMessage => ({ role: 'assistant', content });
const results = (...content: ReturnType<typeof result>[]): ModelMessage => ({ role: 'tool', content });

const INTERRUPTED = [user('Add.'), reply(call('a'), call('b')), results(result('b')), user('Go on.')];

describe('pairToolCallsInModelMessages', () => {
  it('AIS-30: a call that was interrupted is refused by the AI SDK itself, and accepted once it has an error result', async () => {
    const model = lab.model('claude', 'claude-opus-4-5');
    await expect(ask(model, INTERRUPTED)).rejects.toThrow(/Tool result is missing/);
    const { messages, report } = pairToolCallsInModelMessages(INTERRUPTED);
    expect((await ask(model, messages)).status).toBe(200);
    expect(JSON.stringify(lab.exchanges.at(-1)?.body)).toContain('This tool call was not executed');
    expect(report).toMatchObject([{ message: 1, toolCallId: 'a', reasons: ['tool_call_without_result'] }]);
  });

  it('AIS-31: results without a call, and second ones, are left out and reported', () => {
    const { messages, report } = pairToolCallsInModelMessages([
      results(result('nobody')),
      user('Add.'),
      reply(call('a')),
      results(result('a')),
      results(result('a', 'again')),
    ]);
    expect(messages).toEqual([user('Add.'), reply(call('a')), results(result('a'))]);
    expect(report.map(({ message, fidelity }) => [message, fidelity])).toEqual([
      [0, 'dropped'],
      [4, 'dropped'],
    ]);
  });

  it('AIS-31: what is whole is not touched, nor are calls of the provider’s own tools', () => {
    const whole = [
      user('Add.'),
      reply(call('a')),
      results(result('a')),
      reply(call('web', { providerExecuted: true })),
    ];
    expect(pairToolCallsInModelMessages(whole)).toEqual({ messages: whole, report: [] });
  });

  it('AIS-32: calls at the end that the user has decided about are left to the AI SDK', () => {
    const asked: ModelMessage = {
      role: 'assistant',
      content: [call('a'), { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' }],
    };
    const decided: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'q', approved: true }],
    };
    expect(pairToolCallsInModelMessages([asked, decided]).report).toEqual([]);
    expect(pairToolCallsInModelMessages([asked]).report).toMatchObject([{ reasons: ['tool_call_without_result'] }]);
    expect(pairToolCallsInModelMessages([asked, decided, user('Never mind.')]).report).toHaveLength(1);
  });
});
