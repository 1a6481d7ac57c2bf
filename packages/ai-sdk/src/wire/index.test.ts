import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, said, withoutMetadata } from '../testing/conversations.ts';
import type { Conversations } from '../testing/conversations.ts';
import { BUDGET, makeConversations } from '../testing/conversations.ts';
import type { Lab } from '../testing/lab.ts';
import { ask, openLab, user } from '../testing/lab.ts';
import type { WireReport } from './index.ts';
import { boughFetch } from './index.ts';

let lab: Lab;
let made: Conversations;
beforeAll(async () => {
  lab = await openLab();
  made = await makeConversations(lab);
});
afterAll(() => lab.close());

const CASES = [
  ['claude', 'claude-opus-4-5', () => withoutMetadata(made.opus), 'ANT-THINK-1'],
  ['claude', 'claude-opus-4-5', () => [user('Hello.'), ...made.opus.slice(2), user('Go on.')], 'ANT-PAIR-2'],
  ['gpt', 'gpt-5', () => [user('Hello.'), ...made.gpt.slice(2), user('Go on.')], 'OAR-PAIR-2'],
  ['chat', 'gpt-4.1', () => [user('Hello.'), ...made.gpt.slice(2), user('Go on.')], 'OAC-PAIR-2'],
  ['gemini', 'gemini-3.8-flash', () => [user('Hello.'), said('Well,')], 'GEM-ROLE-2'],
] as const;

describe.each(CASES)('boughFetch alone: %s %s (%#)', (vendor, id, history, rule) => {
  it('AIS-40: a body that would be refused is repaired before it leaves, and the report names the rule', async () => {
    expect((await ask(lab.model(vendor, id), history(), BUDGET)).status).toBe(400);
    const reports: WireReport[] = [];
    const guarded = lab.model(vendor, id, { onReport: (report) => reports.push(report) });
    expect((await ask(guarded, history(), BUDGET)).status).toBe(200);
    expect(reports).toMatchObject([{ model: id }]);
    expect(reports[0]?.violations).toContainEqual(expect.objectContaining({ rule, repaired: true }));
  });
});

describe('boughFetch', () => {
  it('AIS-41: a body that obeys leaves byte for byte, and other requests pass by', async () => {
    const seen: unknown[] = [];
    const through = boughFetch({
      onReport: (report) => seen.push(report),
      fetch: async (_input, init) => {
        seen.push(init?.body);
        return new Response('{}');
      },
    });
    const body = '{ "model":"claude-opus-4-5", "max_tokens":1e2,\n"messages":[{"role":"user","content":"hi"}]}';
    await through('https://api.example/v1/messages', { method: 'POST', body });
    await through('https://api.example/v1/files', { method: 'POST', body: '{"messages":[]}' });
    await through('https://api.example/v1/messages', { method: 'POST', body: 'no json' });
    await through('https://api.example/v1/models');
    expect(seen).toEqual([body, '{"messages":[]}', 'no json', undefined]);
  });

  it('AIS-42: what nothing repairs is sent, or refused with the rule’s words if the caller wants that', async () => {
    const history = [user('Add.'), ...exchange('functions.calculator:0')];
    const reports: WireReport[] = [];
    const guard = { onReport: (report: WireReport) => reports.push(report) };
    expect((await ask(lab.model('claude', 'claude-opus-4-5', guard), history)).status).toBe(400);
    const sent = lab.exchanges.length;
    const strict = lab.model('claude', 'claude-opus-4-5', { ...guard, unrepaired: 'refuse' });
    await expect(ask(strict, history)).rejects.toThrow(/would be refused and was not sent.*ANT-PAIR-6/s);
    expect(lab.exchanges).toHaveLength(sent);
    expect(reports).toHaveLength(2);
  });
});
