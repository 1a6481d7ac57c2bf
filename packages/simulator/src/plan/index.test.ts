import { describe, expect, it } from 'vitest';
import type { Prompt, Reply } from '../reply.ts';
import { planReply } from './index.ts';
import { longText, unicodeText } from './showpieces.ts';
import { STYLED_MODELS } from './styles.ts';

const CALCULATOR = {
  name: 'calculator',
  inputSchema: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
};
const CLOCK = { name: 'current_time', inputSchema: { type: 'object', properties: { timezone: { type: 'string' } } } };

function prompt(userText: string, change: Partial<Prompt> = {}): Prompt {
  const tools = change.tools ?? [];
  return {
    model: 'sim-thinker',
    system: '',
    userText,
    toolResults: [],
    toolNames: tools.map((tool) => tool.name),
    toolsAllowed: true,
    thinking: true,
    turn: 0,
    ...change,
  };
}

const kinds = (reply: Reply): string[] => reply.parts.map((part) => part.type);
const textOf = (reply: Reply): string => reply.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** Plays a turn to its end, answering every call, and returns all replies. */
function play(start: Prompt): Reply[] {
  const replies: Reply[] = [];
  let current = start;
  for (let step = 0; step < 20; step += 1) {
    const reply = planReply(current);
    replies.push(reply);
    const calls = reply.parts.filter((part) => part.type === 'tool_call');
    if (calls.length === 0) return replies;
    const results = calls.map(({ name }, index) => ({ name, content: `result ${index}` }));
    current = { ...current, toolResults: [...current.toolResults, ...results], turn: current.turn + 1 };
  }
  throw new Error('The turn does not end.');
}

describe('planReply', () => {
  it.each(STYLED_MODELS)('SIM-6: %s ends its turn, with and without tools, thinking on and off', (model) => {
    for (const tools of [[], [CALCULATOR], [CALCULATOR, CLOCK]]) {
      for (const thinking of [true, false]) {
        const replies = play(prompt('What is a tree?', { model, tools, thinking }));
        expect(replies.at(-1)?.stop).toBe('end_turn');
        expect(textOf(replies.at(-1) ?? { parts: [], stop: 'end_turn' })).not.toBe('');
        if (!thinking) expect(replies.flatMap(kinds)).not.toContain('thinking');
      }
    }
  });

  it('SIM-6: the same prompt always gets the same reply, a later turn another one', () => {
    expect(planReply(prompt('Hello'))).toEqual(planReply(prompt('Hello')));
    expect(planReply(prompt('Hello', { turn: 1 }))).not.toEqual(planReply(prompt('Hello')));
  });

  it('SIM-6: another attempt gets another answer', () => {
    const answers = [0, 1, 2].map((variation) => planReply(prompt('Hello', { variation })));
    expect(new Set(answers.map(textOf)).size).toBe(3);
  });

  it('SIM-6: says what it is and what was asked', () => {
    const text = textOf(planReply(prompt('Why is the sky blue?')));
    expect(text).toContain('simulated');
    expect(text).toContain('Why is the sky blue?');
  });

  it('SIM-6: interleaves thinking with several steps of tools', () => {
    const replies = play(prompt('Go', { model: 'sim-interleaved', tools: [CALCULATOR, CLOCK] }));
    expect(replies.map(kinds)).toEqual([
      ['thinking', 'text', 'tool_call'],
      ['thinking', 'text', 'tool_call'],
      ['thinking', 'text'],
    ]);
  });

  it('SIM-6: calls tools in parallel and tells what they said', () => {
    const replies = play(prompt('Go', { model: 'sim-parallel', tools: [CALCULATOR, CLOCK] }));
    expect(kinds(replies[0] ?? { parts: [], stop: 'end_turn' }).filter((kind) => kind === 'tool_call')).toHaveLength(3);
    expect(textOf(replies[1] ?? { parts: [], stop: 'end_turn' })).toContain('result 2');
  });

  it('SIM-6: tells that a tool has failed where the request says so', () => {
    const toolResults = [{ name: 'calculator', content: 'no luck', isError: true }];
    const reply = planReply(prompt('Go', { toolResults, turn: 1, model: 'sim-interleaved' }));
    expect(textOf(reply)).toContain('`calculator` failed: no luck');
    const thoughts = reply.parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : []));
    expect(thoughts[0]).toContain('calculator has failed: no luck');
  });

  it('SIM-6: reaches for a calculator when there is a sum, with the sum', () => {
    const reply = planReply(prompt('What is 12 × 7 + 1?', { tools: [CLOCK, CALCULATOR] }));
    expect(reply.parts.at(-1)).toEqual({
      type: 'tool_call',
      name: 'calculator',
      parameters: { expression: '12 * 7 + 1' },
    });
    expect(planReply(prompt('What is a tree?', { tools: [CALCULATOR] })).stop).toBe('end_turn');
  });

  it('SIM-6: calls no tool that is not allowed', () => {
    expect(planReply(prompt('/sim tools', { tools: [CALCULATOR], toolsAllowed: false })).stop).toBe('end_turn');
  });

  it('SIM-6: fills the parameters that a schema requires', () => {
    const search = {
      name: 'search',
      inputSchema: {
        type: 'OBJECT',
        properties: {
          query: { type: 'STRING' },
          limit: { type: 'INTEGER', minimum: 5 },
          order: { enum: ['new', 'old'] },
          deep: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
          tags: { type: 'array', items: { type: ['string', 'null'] } },
          unused: { type: 'string' },
        },
        required: ['query', 'limit', 'order', 'deep', 'tags'],
      },
    };
    expect(planReply(prompt('trees /sim tools search', { tools: [search] })).parts.at(-1)).toMatchObject({
      parameters: { query: 'trees', limit: 5, order: 'new', deep: { on: true }, tags: ['trees'] },
    });
  });

  it('SIM-7: obeys a message', () => {
    expect(kinds(planReply(prompt('/sim think 3 /sim redacted 2')))).toEqual([
      'thinking',
      'thinking',
      'thinking',
      'redacted_thinking',
      'redacted_thinking',
      'text',
    ]);
    expect(textOf(planReply(prompt('/sim say exactly this')))).toBe('exactly this');
    expect(textOf(planReply(prompt('/sim long 12345')))).toHaveLength(12_345);
    const thoughts = planReply(prompt('/sim think 2 5000')).parts.filter((part) => part.type === 'thinking');
    expect(thoughts.map(({ text }) => text.length)).toEqual([5_000, 5_000]);
    const program = planReply(prompt('/sim markdown 9000 /sim think 1 6000'));
    expect(textOf(program)).toMatch(/^### Section 1\n[\s\S]{8986}$/);
    expect(program.parts[0]).toMatchObject({ type: 'thinking', text: expect.stringMatching(/^### Section 1\n/) });
    expect(textOf(planReply(prompt('/sim help')))).toContain('/sim fault cut N');
    expect(kinds(planReply(prompt('/sim unknown')))).toContain('unknown_block');
    expect(kinds(planReply(prompt('/sim empty', { thinking: false })))).toEqual([]);
    expect(planReply(prompt('/sim refuse'))).toMatchObject({ stop: 'refusal' });
    expect(planReply(prompt('/sim max_tokens'))).toMatchObject({ stop: 'max_tokens' });
    expect(play(prompt('/sim tools calculator x2 steps 3', { tools: [CALCULATOR] }))).toHaveLength(4);
  });

  it('SIM-7: tells of what it cannot do', () => {
    expect(textOf(planReply(prompt('/sim tools oracle', { tools: [CALCULATOR] })))).toContain('no tool `oracle`');
    expect(textOf(planReply(prompt('/sim dance')))).toContain('not a command');
  });
});

describe('showpieces', () => {
  it('SIM-6: the hard text has every kind of hardness', () => {
    const text = unicodeText();
    expect(text).toContain('\u200d');
    expect(text).toMatch(/\p{Script=Hebrew}/u);
    expect(text).toMatch(/\p{M}/u);
    expect(text).toMatch(/\p{Script=Han}/u);
    expect(text).toMatch(/[\u{10000}-\u{10FFFF}]/u);
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });

  it.each([0, 1, 999, 50_000])('SIM-6: long text has exactly %i characters', (length) => {
    expect(longText(length)).toHaveLength(length);
  });
});
