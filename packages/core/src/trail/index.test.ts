import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../blocks/index.ts';
import { replyLikeness, trailAfter, trailStart } from './index.ts';

const reply: readonly ContentBlock[] = [
  { type: 'thinking', thinking: 'Let me see.', signature: 'sig' },
  { type: 'text', text: 'I look. ' },
  { type: 'text', text: 'One moment.\n' },
  { type: 'tool-use', id: 'toolu_1', name: 'read', parameters: { path: 'a.ts', lines: [1, 2] } },
];

describe('likeness', () => {
  it('TRL-1: a reply is alike without its reasoning, with merged or trimmed texts, renamed calls and reordered keys', () => {
    const back: readonly ContentBlock[] = [
      { type: 'text', text: 'I look. One moment.' },
      { type: 'tool-use', id: 'call_9', name: 'read', parameters: { lines: [1, 2], path: 'a.ts' } },
    ];
    expect(replyLikeness(back)).toBe(replyLikeness(reply));
  });

  it.each<[string, readonly ContentBlock[]]>([
    ['another word', [{ type: 'text', text: 'I look. One second.' }]],
    ['another argument', [...reply.slice(1, 3), { type: 'tool-use', id: 'toolu_1', name: 'read', parameters: {} }]],
    ['no call', reply.slice(0, 3)],
  ])('TRL-1: a reply with %s is another one', (_, blocks) => {
    expect(replyLikeness(blocks)).not.toBe(replyLikeness(reply));
  });

  it('TRL-1: a reply of nothing but what its provider ran is one of its own', () => {
    const ran = [{ type: 'server_tool_use', id: 'a' }];
    expect(replyLikeness(ran)).not.toBe(replyLikeness([]));
    expect(replyLikeness([...ran, { type: 'text', text: 'x' }])).toBe(replyLikeness([{ type: 'text', text: 'x' }]));
  });
});

describe('trail', () => {
  const head = { session: 's', identity: 'You are an agent.', hasTools: true };

  it('TRL-2: names the whole history: another beginning, order or role is another trail', () => {
    const one = trailAfter(trailStart(head), 'user', 'a');
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(trailAfter(trailStart({ ...head, session: null }), 'user', 'a')).not.toBe(one);
    expect(trailAfter(trailStart({ ...head, hasTools: false }), 'user', 'a')).not.toBe(one);
    expect(trailAfter(trailStart(head), 'assistant', 'a')).not.toBe(one);
    expect(trailAfter(trailAfter(one, 'user', 'b'), 'user', 'c')).not.toBe(
      trailAfter(trailAfter(one, 'user', 'c'), 'user', 'b'),
    );
  });

  it('TRL-2: what a system prompt says far behind its beginning does not count', () => {
    const identity = `You are an agent.${' '.repeat(300)}Today is Monday.`;
    const tomorrow = identity.replace('Monday', 'Tuesday');
    expect(trailStart({ ...head, identity: tomorrow })).toBe(trailStart({ ...head, identity }));
  });
});
