import { nodeId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../deployments/anthropic.ts';
import type { RenderInput } from '../../../protocol.ts';
import { cacheParameters, cacheQuestion, markedMessages, markedSystem, markedTools, placeOfMark } from './caching.ts';
import type { MessageText } from './messages.ts';

const INPUT: RenderInput = {
  items: [],
  systemPrompt: null,
  tools: [],
  toolChoice: 'auto',
  thinking: 'off',
  maxTokens: 100,
  stream: true,
  model: anthropic.modelInfo('claude-sonnet-5'),
  deployment: anthropic,
  rawOf: () => undefined,
};
const ELSEWHERE: RenderInput = { ...INPUT, deployment: { ...anthropic, quirks: {} } };
const LONG = 'a word of many, '.repeat(500);
const MARK = { type: 'ephemeral' };

const tool = (description: string): object => ({ name: 'a', description, input_schema: { type: 'object' } });
const message = (role: MessageText['role'], ...blocks: readonly object[]): MessageText => ({
  role,
  blocks: blocks.map((block) => JSON.stringify(block)),
  nodeId: nodeId('n'),
});
const text = (said: string): object => ({ type: 'text', text: said });
const call = (id: number): object => ({ type: 'tool_use', id: `c${id}`, name: 'a', input: {} });
const result = (id: number): object => ({ type: 'tool_result', tool_use_id: `c${id}`, content: 'x' });
const marksIn = (messages: readonly MessageText[]): readonly number[] =>
  messages.flatMap(({ blocks }, at) => (blocks.some((block) => block.includes('cache_control')) ? [at] : []));

describe('cache marks', () => {
  it('ANT-Q92: long system prompts and tools get one each, always in the same place; short ones stay as they are', () => {
    expect(markedSystem('Be brief.', [], INPUT)).toBe('Be brief.');
    expect(markedSystem(LONG, [], INPUT)).toEqual([{ type: 'text', text: LONG, cache_control: MARK }]);
    // A short prompt behind long tools: the mark covers both.
    expect(markedSystem('Be brief.', [tool(LONG)], INPUT)).toMatchObject([{ cache_control: MARK }]);
    expect(markedTools([tool('short')], INPUT)).toEqual([tool('short')]);
    const deferred = { ...tool('later'), defer_loading: true };
    const marked = markedTools([tool(LONG), tool('last'), deferred], INPUT);
    expect(marked.map((each) => 'cache_control' in each)).toEqual([false, true, false]);
    for (const given of [markedSystem(LONG, [], ELSEWHERE), markedTools([tool(LONG)], ELSEWHERE)])
      expect(JSON.stringify(given)).not.toContain('cache_control');
  });

  it('ANT-Q93: what adds many blocks gets one where the request before ended: a step, and a message behind a long reply', () => {
    const ids = Array.from({ length: 12 }, (_, at) => at);
    const loop = [
      message('user', text('Go.')),
      message('assistant', ...ids.map(call)),
      message('user', ...ids.map(result)),
    ];
    expect(marksIn(markedMessages(loop, INPUT))).toEqual([0]);
    expect(markedMessages(loop, INPUT)[0]?.blocks).toEqual([JSON.stringify({ ...text('Go.'), cache_control: MARK })]);
    expect(marksIn(markedMessages(loop, ELSEWHERE))).toEqual([]);
    const few = [message('user', text('Go.')), message('assistant', call(1)), message('user', result(1))];
    expect(marksIn(markedMessages(few, INPUT))).toEqual([]);
    // What ended there is found from the end.
    const closed = [...loop, message('assistant', text('So.')), message('user', text('And?'))];
    expect(marksIn(markedMessages(closed, INPUT))).toEqual([]);
    const searched = [
      ...loop,
      message('assistant', ...[...ids, ...ids].map((id) => text(`Source ${id}.`))),
      message('user', text('And?')),
    ];
    expect(marksIn(markedMessages(searched, INPUT))).toEqual([2]);
    expect(placeOfMark(searched, INPUT)).toBe(2);
    expect(placeOfMark([...searched, message('assistant', text('So.')), message('user', text('Go on.'))], INPUT)).toBe(
      null,
    );
    // The first request has nothing before it.
    expect(marksIn(markedMessages([message('user', ...ids.map(result), ...ids.map(result))], INPUT))).toEqual([]);
  });

  it('ANT-Q94: the cache is asked to compare with the reply before, only where it can be asked', () => {
    const asked = { comparedWith: 'msg_1' };
    expect(cacheQuestion({ ...INPUT, ...asked })).toEqual({ diagnostics: { previous_message_id: 'msg_1' } });
    expect(cacheQuestion(INPUT)).toEqual({});
    expect(cacheQuestion({ ...ELSEWHERE, ...asked })).toEqual({});
    expect([INPUT, ELSEWHERE].map(cacheParameters)).toEqual([{ cache_control: MARK }, {}]);
  });
});
