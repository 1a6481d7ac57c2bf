import { describe, expect, it } from 'vitest';
import { InvalidMessageError, messageOf, parseMessage } from './index.ts';

const text = { type: 'text', text: 'hi' };

function fieldOf(value: unknown): string {
  try {
    parseMessage(value);
  } catch (error) {
    if (error instanceof InvalidMessageError) return error.field;
    throw error;
  }
  return 'accepted';
}

describe('parseMessage', () => {
  it.each([
    [{ role: 'user', content: [text] }],
    [{ role: 'system', content: [text] }],
    [{ role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'n', parameters: {} }] }],
    [{ role: 'assistant', content: [{ type: 'x-future', deep: { kept: [1] } }, text] }],
    [{ role: 'tool', content: [text], tool_call_id: 'c' }],
  ])('MS-1: a message that fits its role comes back as the same object: %j', (message) => {
    expect(parseMessage(message)).toBe(message);
  });

  it.each<[string, unknown, string]>([
    ['MS-2: empty content', { role: 'user', content: [] }, 'content'],
    ['MS-2: no content', { role: 'assistant' }, 'content'],
    ['MS-2: a text instead of blocks', { role: 'user', content: 'hi' }, 'content'],
    ['MS-2: a block without a type', { role: 'assistant', content: [text, {}] }, 'content[1].type'],
    ['MS-2: a block that is no object', { role: 'assistant', content: [null] }, 'content[0]'],
    [
      'MS-3: a user message with a tool call',
      { role: 'user', content: [text, { type: 'tool-use' }] },
      'content[1].type',
    ],
    [
      'MS-3: a tool message with thinking',
      { role: 'tool', content: [{ type: 'thinking' }], tool_call_id: 'c' },
      'content[0].type',
    ],
    ['MS-4: a tool message without the call that it answers', { role: 'tool', content: [text] }, 'tool_call_id'],
    ['MS-4: a tool message with an empty call id', { role: 'tool', content: [text], tool_call_id: '' }, 'tool_call_id'],
    ['MS-4: a user message with a call id', { role: 'user', content: [text], tool_call_id: 'c' }, 'tool_call_id'],
    ['MS-5: an unknown role', { role: 'robot', content: [text] }, 'role'],
    ['MS-5: no message at all', null, 'message'],
  ])('%s is an error that names the field', (_, message, field) => {
    expect(fieldOf(message)).toBe(field);
  });

  it('MS-4: messageOf gives a tool message its call id', () => {
    expect(messageOf('tool', [text], 'c')).toEqual({ role: 'tool', content: [text], tool_call_id: 'c' });
    expect(messageOf('user', [text], null)).toEqual({ role: 'user', content: [text] });
  });
});
