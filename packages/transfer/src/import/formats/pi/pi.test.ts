import { isPlainObject } from '@bough/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStage } from '../sessions/testing.ts';
import { idOf, outline, READ_TOOL, sessionStage } from '../sessions/testing.ts';

let stage: SessionStage;
beforeEach(async () => {
  stage = await sessionStage();
});
afterEach(() => stage.close());

type Json = Readonly<Record<string, unknown>>;
let count = 0;
const time = (): string => new Date(Date.UTC(2026, 0, 1, 0, 0, (count += 1))).toISOString();
const header = (id: string, more: Json = {}): Json => ({
  type: 'session',
  version: 3,
  id,
  timestamp: time(),
  cwd: '/home/me/trees',
  ...more,
});
const entry = (id: string, parentId: string | null, more: Json): Json => ({ id, parentId, timestamp: time(), ...more });
const message = (id: string, parentId: string | null, value: Json): Json =>
  entry(id, parentId, { type: 'message', message: value });
const user = (id: string, parentId: string | null, text: string): Json =>
  message(id, parentId, { role: 'user', content: [{ type: 'text', text }] });
const listIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isPlainObject) : []);
const QUESTION = 'notes.txt /sim tools read';

/** One question to each vendor, and its reply as the client keeps it. */
const VENDORS = {
  anthropic: {
    api: 'anthropic-messages',
    model: 'claude-opus-4-6',
    provider: 'anthropic',
    ask: async () => {
      const reply = await stage.ask('/v1/messages', {
        model: 'claude-opus-4-6',
        max_tokens: 4000,
        thinking: { type: 'adaptive' },
        messages: [{ role: 'user', content: QUESTION }],
        tools: [{ name: 'read', input_schema: READ_TOOL }],
      });
      return listIn(reply['content']).map((block) => {
        if (block['type'] === 'thinking')
          return { type: 'thinking', thinking: block['thinking'], thinkingSignature: block['signature'] };
        if (block['type'] === 'tool_use')
          return { type: 'toolCall', id: block['id'], name: block['name'], arguments: block['input'] };
        return { type: 'text', text: block['text'] };
      });
    },
  },
  openai: {
    api: 'openai-responses',
    model: 'gpt-5.4',
    provider: 'openai',
    ask: async () => {
      const reply = await stage.ask('/v1/responses', {
        model: 'gpt-5.4',
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'medium', summary: 'auto' },
        input: [{ role: 'user', content: QUESTION }],
        tools: [{ type: 'function', name: 'read', parameters: READ_TOOL }],
      });
      return listIn(reply['output']).map((each) => {
        if (each['type'] === 'reasoning')
          return { type: 'thinking', thinking: 'Summary', thinkingSignature: JSON.stringify(each) };
        if (each['type'] === 'function_call') {
          const id = `${String(each['call_id'])}|${String(each['id'])}`;
          return { type: 'toolCall', id, name: each['name'], arguments: JSON.parse(String(each['arguments'])) as Json };
        }
        const textSignature = JSON.stringify({ v: 1, id: each['id'], phase: each['phase'] });
        return { type: 'text', text: listIn(each['content'])[0]?.['text'], textSignature };
      });
    },
  },
  google: {
    api: 'google-generative-ai',
    model: 'gemini-2.5-pro',
    provider: 'google',
    ask: async () => {
      const reply = await stage.ask('/v1beta/models/gemini-2.5-pro:generateContent', {
        contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
        generationConfig: { thinkingConfig: { includeThoughts: true } },
        tools: [{ functionDeclarations: [{ name: 'read', parameters: READ_TOOL }] }],
      });
      const content = listIn(reply['candidates'])[0]?.['content'];
      return listIn(isPlainObject(content) ? content['parts'] : []).map((part) => {
        const { functionCall: call, thoughtSignature: signature } = part;
        if (isPlainObject(call))
          return { type: 'toolCall', id: 'read_1', name: 'read', arguments: call['args'], thoughtSignature: signature };
        if (part['thought'] === true) return { type: 'thinking', thinking: part['text'] };
        return { type: 'text', text: part['text'], ...(signature === undefined ? {} : { textSignature: signature }) };
      });
    },
  },
} as const;

async function conversation(vendor: keyof typeof VENDORS): Promise<Json[]> {
  const { ask, ...about } = VENDORS[vendor];
  const content = await ask();
  const id = content.find(({ type }) => type === 'toolCall');
  return [
    header(`session-${vendor}`),
    entry('m0', null, { type: 'model_change', provider: about.provider, modelId: about.model }),
    message('s0', 'm0', { role: 'system', content: '', sections: { preamble: 'You are pi.' } }),
    user('u1', 's0', QUESTION),
    message('a1', 'u1', {
      role: 'assistant',
      content,
      ...about,
      stopReason: 'toolUse',
      usage: { input: 9, output: 9 },
    }),
    message('t1', 'a1', {
      role: 'toolResult',
      toolCallId: isPlainObject(id) ? id['id'] : '',
      toolName: 'read',
      isError: false,
      content: [{ type: 'text', text: 'A tree has leaves.' }],
    }),
  ];
}

const name = (id: string): string => `agent/sessions/--trees--/2026-01-01T00-00-00-000Z_${id}.jsonl`;

describe('sessions of pi', () => {
  it.each(['anthropic', 'openai', 'google'] as const)(
    'IM-71: a reply of %s is in its own form again, and goes on with what its provider wants back',
    async (vendor) => {
      const report = await stage.load(await stage.write(name('a'), await conversation(vendor)));
      expect(report).toMatchObject({ nodes: 3, problems: [], leftOut: {} });
      const { envelope } = await stage.store.getBranch(idOf(report), 'main');
      expect(envelope).toMatchObject({ model: VENDORS[vendor].model, systemPrompt: 'You are pi.' });
      expect(await stage.goOn(report)).toEqual({ status: 'complete', kinds: ['accepted'], withheld: 0 });
    },
  );

  it("IM-71: a reply over OpenAI's chat protocol keeps its reasoning in the field that it came in", async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'reasoning_content' },
      { type: 'text', text: 'Leaves.' },
    ];
    const about = { api: 'openai-completions', provider: 'deepseek', model: 'deepseek-reasoner', stopReason: 'stop' };
    const records = [
      header('d'),
      user('u1', null, 'Why?'),
      message('a1', 'u1', { role: 'assistant', content, ...about }),
    ];
    const report = await stage.load(await stage.write(name('d'), records));
    expect(outline(await stage.path(report))).toEqual(['user: "Why?"', 'assistant: thinking "Leaves."']);
    const { status, kinds } = await stage.goOn(report);
    expect([status, kinds.includes('rejected')]).toEqual(['complete', false]);
  });

  it('IM-71: a reply over a protocol that is not known here keeps its thoughts and calls, to be seen', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'theirs' },
      { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'notes.txt' } },
      { type: 'sound' },
    ];
    const about = { api: 'own-protocol', provider: 'own', model: 'own-1', stopReason: 'toolUse' };
    const records = [
      header('o'),
      user('u1', null, 'Why?'),
      message('a1', 'u1', { role: 'assistant', content, ...about }),
      message('t1', 'a1', { role: 'toolResult', toolCallId: 'c1', content: [{ type: 'text', text: 'Leaves.' }] }),
    ];
    const report = await stage.load(await stage.write(name('o'), records));
    expect(outline(await stage.path(report))).toEqual([
      'user: "Why?"',
      'assistant: thinking call read',
      'tool: "Leaves."',
    ]);
    expect(report.leftOut).toEqual({ 'part sound': 1 });
  });

  it('IM-72: entries that go back are branches; a fork is another file of the same project', async () => {
    const main = await conversation('anthropic');
    const file = await stage.write(name('session-anthropic'), [
      ...main,
      user('u2', 't1', 'On'),
      entry('b1', 't1', { type: 'branch_summary', fromId: 'u2', summary: 'It went on.' }),
      user('u3', 'b1', 'Otherwise'),
    ]);
    const fork = [header('fork', { parentSession: file }), ...main.slice(1), user('u4', 't1', 'A fork')];
    await stage.write(name('fork'), fork);
    const report = await stage.load(`${stage.directory}/clients`);
    expect(report.projects).toHaveLength(1);
    const branches = await stage.store.listBranches(idOf(report));
    expect(branches.map((branch) => [branch.name, branch.recorded?.because])).toEqual([
      ['main', null],
      ['It went on.', 'rewound'],
      ['A fork', null],
    ]);
  });

  it('IM-73: a compaction begins a branch with the summary and the messages that are kept', async () => {
    const records = [
      ...(await conversation('anthropic')),
      user('u2', 't1', 'Kept'),
      entry('c1', 'u2', { type: 'compaction', summary: 'Leaves.', firstKeptEntryId: 'u2' }),
      user('u3', 'c1', 'Go on'),
      entry('x', 'u3', { type: 'context_edit', targetId: 'u1' }),
    ];
    const report = await stage.load(await stage.write(name('a'), records));
    expect(outline(await stage.path(report, 'compacted'))).toEqual([
      'user: "Leaves."',
      'user: "Kept"',
      'user: "Go on"',
    ]);
    expect(outline(await stage.path(report)).at(-1)).toBe('user: "Kept"');
    expect(report.leftOut).toEqual({ 'entry context_edit': 1 });
  });

  it('IM-71: entries of the first version have no ids: each follows the one before, and a branch is a file', async () => {
    const said = (role: string, text: string): Json => ({
      type: 'message',
      timestamp: time(),
      message: { role, content: [{ type: 'text', text }], timestamp: 7 },
    });
    const first = { type: 'session', id: 'v1', timestamp: time(), cwd: '/home/me', provider: 'anthropic' };
    const reply = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-opus-4-6', stopReason: 'stop' };
    const answer = (text: string): Json => ({
      type: 'message',
      timestamp: time(),
      message: { role: 'assistant', content: [{ type: 'text', text }], ...reply, timestamp: 8 },
    });
    const begun = (): Json[] => [said('user', 'Why?'), answer('Because.')];
    const model = { type: 'model_change', timestamp: time(), provider: 'anthropic', modelId: 'claude-opus-4-6' };
    const main = [
      first,
      ...begun(),
      model,
      said('hookMessage', 'A reminder'),
      // The header is the first entry: what is kept begins with the model's answer.
      { type: 'compaction', timestamp: time(), summary: 'Reasons.', firstKeptEntryIndex: 2, tokensBefore: 9 },
      said('user', 'On'),
    ];
    const file = await stage.write(name('v1'), main);
    const fork = { ...first, id: 'v1-fork', timestamp: time(), branchedFrom: file };
    await stage.write(name('v1-fork'), [fork, ...begun(), said('user', 'A fork')]);
    const report = await stage.load(`${stage.directory}/clients`);
    expect(report).toMatchObject({ problems: [], leftOut: {}, projects: [{ outcome: 'new' }] });
    const lines = ['main', 'compacted', 'A fork'].map(async (branch) => outline(await stage.path(report, branch)));
    expect(await Promise.all(lines)).toEqual([
      ['user: "Why?"', 'assistant: "Because."', 'user: "A reminder"'],
      ['user: "Reasons."', 'assistant: "Because."', 'user: "A reminder"', 'user: "On"'],
      ['user: "Why?"', 'assistant: "Because."', 'user: "A fork"'],
    ]);
    expect((await stage.load(file)).projects).toMatchObject([{ outcome: 'unchanged' }]);
  });
});
