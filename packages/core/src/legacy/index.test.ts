import { describe, expect, it } from 'vitest';
import { InvalidMessageError } from '../messages/index.ts';
import { legacyToContentBlocks, normalizeMessage, ToolArgumentParseError } from './index.ts';

const call = (id: string, args: string, name = 'search') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});

describe('legacyToContentBlocks', () => {
  it('LG-1: text comes first, then the calls in their order with parsed arguments', () => {
    expect(legacyToContentBlocks('Looking.', [call('b', '{"q":"2"}'), call('a', '{"q":"1"}')])).toEqual([
      { type: 'text', text: 'Looking.' },
      { type: 'tool-use', id: 'b', name: 'search', parameters: { q: '2' } },
      { type: 'tool-use', id: 'a', name: 'search', parameters: { q: '1' } },
    ]);
  });

  it('LG-2: null and an empty text beside calls give no text block; an empty text alone is kept', () => {
    expect(legacyToContentBlocks(null, [call('a', '{}')])).toHaveLength(1);
    expect(legacyToContentBlocks('', [call('a', '{}')])).toHaveLength(1);
    expect(legacyToContentBlocks('')).toEqual([{ type: 'text', text: '' }]);
    expect(legacyToContentBlocks(null)).toEqual([]);
  });

  it('LG-3: an empty text of arguments is a call without arguments', () => {
    expect(legacyToContentBlocks(null, [call('a', '')])).toEqual([
      { type: 'tool-use', id: 'a', name: 'search', parameters: {} },
    ]);
  });

  it.each(['{"q":', '[1]', '"text"', 'null', '42'])(
    'LG-4: arguments that are no JSON object are a typed error: %s',
    (args) => {
      const attempt = () => legacyToContentBlocks(null, [call('call-7', args)]);
      expect(attempt).toThrow(ToolArgumentParseError);
      expect(attempt).toThrow(
        expect.objectContaining({
          toolCallId: 'call-7',
          toolName: 'search',
          excerpt: args,
          code: 'tool_argument_parse',
        }),
      );
    },
  );

  it('LG-4: the excerpt is short, whatever the length of the arguments', () => {
    const attempt = () => legacyToContentBlocks(null, [call('c', `{${'x'.repeat(10_000)}`)]);
    expect(attempt).toThrow(expect.objectContaining({ excerpt: `{${'x'.repeat(79)}…` }));
  });
});

describe('normalizeMessage', () => {
  it('LG-5: what is canonical already comes back as the same object, unknown blocks untouched', () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'x-future', payload: { z: 1, a: [2] } },
        { type: 'text', text: '' },
      ],
    };
    expect(normalizeMessage(message)).toBe(message);
  });

  it('LG-1: a legacy assistant message becomes blocks', () => {
    expect(normalizeMessage({ role: 'assistant', content: null, tool_calls: [call('a', '{"x":1}')] })).toEqual({
      role: 'assistant',
      content: [{ type: 'tool-use', id: 'a', name: 'search', parameters: { x: 1 } }],
    });
  });

  it('LG-6: a legacy tool message keeps the call that it answers', () => {
    expect(normalizeMessage({ role: 'tool', content: '42', tool_call_id: 'a' })).toEqual({
      role: 'tool',
      content: [{ type: 'text', text: '42' }],
      tool_call_id: 'a',
    });
  });

  it('LG-7: the thinking trace of the older node form comes before the text, and its copy of the text does not count', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const message = {
      role: 'assistant',
      content: 'Yes.',
      thinking: { provider: 'anthropic', availability: 'full', content: [thought, { type: 'text', text: 'Yes.' }] },
    };
    expect(normalizeMessage(message).content).toEqual([thought, { type: 'text', text: 'Yes.' }]);
    expect(normalizeMessage({ role: 'assistant', content: 'Yes.', thinking: { content: 'Hm.' } }).content).toEqual([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  it('LG-8: contentBlocks beside the older fields win: the text beside them was derived from them', () => {
    const blocks = [{ type: 'text', text: 'blocks' }];
    expect(normalizeMessage({ role: 'assistant', content: 'older', contentBlocks: blocks }).content).toEqual(blocks);
  });

  it('LG-9: nothing at all is an error that names the field, not an empty message', () => {
    for (const broken of [{ role: 'assistant', content: null }, { role: 'assistant' }, { role: 'user', content: 5 }]) {
      expect(() => normalizeMessage(broken)).toThrow(expect.objectContaining({ field: 'content' }));
    }
    expect(() => normalizeMessage({ role: 'assistant', content: 'x', tool_calls: [{}] })).toThrow(InvalidMessageError);
    expect(() => normalizeMessage(undefined)).toThrow(InvalidMessageError);
  });
});
