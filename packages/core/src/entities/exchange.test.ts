import { describe, expect, it } from 'vitest';
import { createNode } from '../tree/index.ts';
import type { Exchange, Recorded } from './index.ts';
import { callId, isExchange, isRecorded, nodeId, projectId } from './index.ts';

const EXCHANGE: Exchange = {
  client: 'claude-code/2.1',
  session: null,
  mode: 'repair',
  protocol: 'anthropic-messages',
  path: '/v1/messages',
  came: [
    { node: nodeId('n'), key: 'gateway/1' },
    { call: callId('c'), of: 'sent', from: 0, to: 3 },
  ],
  sent: [],
  repairs: [{ rule: 'AN-7', at: 'messages.3', what: 'left out' }],
};
const RECORDED: Recorded = { client: 'codex', session: 's', kind: 'main', beside: null, because: null };

const without = (value: object, field: string): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

describe('what the gateway records', () => {
  it('RC-1: an exchange is told from anything else', () => {
    expect(isExchange(EXCHANGE)).toBe(true);
    for (const field of ['sent', 'repairs']) expect(isExchange(without(EXCHANGE, field))).toBe(true);
    for (const field of ['client', 'session', 'mode', 'protocol', 'path', 'came'])
      expect([field, isExchange(without(EXCHANGE, field))]).toEqual([field, false]);
    expect(isExchange({ ...EXCHANGE, mode: 'else' })).toBe(false);
    expect(isExchange({ ...EXCHANGE, repairs: [{ rule: 'AN-7', at: 'messages.3' }] })).toBe(false);
    for (const piece of [
      { node: 'n' },
      { call: 'c', of: 'else', from: 0, to: 1 },
      { call: 'c', of: 'came', from: -1, to: 1 },
      { call: 'c', of: 'came', from: 0, to: 0.5 },
      null,
    ])
      expect(isExchange({ ...EXCHANGE, came: [piece] })).toBe(false);
    expect([null, [], 'text'].some(isExchange)).toBe(false);
  });

  it('RC-1: so is where a branch comes from', () => {
    expect(isRecorded(RECORDED)).toBe(true);
    expect(isRecorded({ ...RECORDED, session: null, kind: 'aside', beside: 'n', because: 'rewound' })).toBe(true);
    for (const field of Object.keys(RECORDED))
      expect([field, isRecorded(without(RECORDED, field))]).toEqual([field, false]);
    for (const wrong of [{ kind: 'else' }, { because: 'else' }, { client: 1 }, { beside: 1 }])
      expect(isRecorded({ ...RECORDED, ...wrong })).toBe(false);
  });

  it('RC-2: a trail belongs to a node from its beginning, and says nothing about its message', () => {
    const given = {
      id: nodeId('n'),
      projectId: projectId('p'),
      parentId: null,
      role: 'user',
      contentBlocks: [{ type: 'text', text: 'Hello' }],
      createdAt: '2026-01-01T00:00:00.000Z',
    } as const;
    const plain = createNode(given);
    expect('trail' in plain).toBe(false);
    expect(createNode({ ...given, trail: 'a' })).toEqual({ ...plain, trail: 'a' });
  });
});
