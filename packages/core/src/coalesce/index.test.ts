import { anyMessage } from '@bough/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOf, textMessage } from '../messages/index.ts';
import { coalesceTextOnlyAdjacent } from './index.ts';

const user = (text: string) => textMessage('user', text);
const assistant = (text: string) => textMessage('assistant', text);
const calling = messageOf('assistant', [
  { type: 'text', text: 'a' },
  { type: 'tool-use', id: 'c', name: 'n', parameters: {} },
]);
const result = messageOf('tool', [{ type: 'text', text: 'r' }], 'c');

describe('coalesceTextOnlyAdjacent', () => {
  it('CO-1: joins text-only neighbours of one role, their blocks behind each other', () => {
    expect(coalesceTextOnlyAdjacent([user('a'), user('b'), user('c'), assistant('d'), assistant('e')])).toEqual([
      messageOf('user', [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
        { type: 'text', text: 'c' },
      ]),
      messageOf('assistant', [
        { type: 'text', text: 'd' },
        { type: 'text', text: 'e' },
      ]),
    ]);
  });

  it('CO-2: never joins tool messages, system messages, or anything with a tool call', () => {
    const system = textMessage('system', 's');
    const apart = [system, system, assistant('x'), calling, result, result, assistant('y'), user('z')];
    expect(coalesceTextOnlyAdjacent(apart)).toEqual(apart);
  });

  it('CO-3: keeps every block, in order', () => {
    fc.assert(
      fc.property(fc.array(anyMessage), (messages) => {
        const joined = coalesceTextOnlyAdjacent(messages);
        expect(joined.flatMap((message) => message.content)).toEqual(messages.flatMap((message) => message.content));
        expect(coalesceTextOnlyAdjacent(joined)).toEqual(joined);
      }),
    );
  });
});
