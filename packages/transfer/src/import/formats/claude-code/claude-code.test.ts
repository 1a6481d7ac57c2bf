import { isPlainObject } from '@bough/core';
import { appendFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStage } from '../sessions/testing.ts';
import { idOf, outline, READ_TOOL, sessionStage } from '../sessions/testing.ts';

let stage: SessionStage;
beforeEach(async () => {
  stage = await sessionStage();
});
afterEach(() => stage.close());

type Json = Readonly<Record<string, unknown>>;
const SESSION = '0c1f9a52-1111-4222-8333-944445555666';
let count = 0;
const uuid = (name: string): string => `${name}-0000-4000-8000-000000000000`;
const at = (): string => new Date(Date.UTC(2026, 0, 1, 0, 0, (count += 1))).toISOString();
const about = {
  isSidechain: false,
  userType: 'external',
  cwd: '/home/me/trees',
  sessionId: SESSION,
  version: '2.1.326',
};

const user = (name: string, parent: string | null, content: unknown, more: Json = {}): Json => ({
  parentUuid: parent === null ? null : uuid(parent),
  ...about,
  type: 'user',
  message: { role: 'user', content },
  uuid: uuid(name),
  timestamp: at(),
  ...more,
});

/** A reply as the client writes it: one record per block. */
const reply = (name: string, parent: string, message: Json, more: Json = {}): Json[] =>
  (Array.isArray(message['content']) ? message['content'] : []).map((block: unknown, index, all) => ({
    parentUuid: uuid(index === 0 ? parent : `${name}${index - 1}`),
    ...about,
    message: { ...message, content: [block] },
    requestId: 'req_1',
    type: 'assistant',
    timestamp: at(),
    uuid: uuid(index === all.length - 1 ? name : `${name}${index}`),
    ...more,
  }));

const ask = (messages: readonly unknown[], model = 'claude-opus-4-6'): Promise<Json> =>
  stage.ask('/v1/messages', {
    model,
    max_tokens: 4000,
    thinking: { type: 'adaptive' },
    messages,
    tools: [{ name: 'Read', description: 'Reads', input_schema: READ_TOOL }],
  });

const callOf = (message: Json): string => {
  const content = Array.isArray(message['content']) ? message['content'].filter(isPlainObject) : [];
  return String(content.find(({ type }) => type === 'tool_use')?.['id']);
};

/** A conversation with reasoning and a tool; each line as the client writes it. */
async function conversation(model?: string): Promise<Json[]> {
  const question = { role: 'user', content: 'notes.txt /sim tools Read' };
  const first = await ask([question], model);
  const result = { type: 'tool_result', tool_use_id: callOf(first), content: 'A tree has leaves.' };
  const history = [question, { role: 'assistant', content: first['content'] }, { role: 'user', content: [result] }];
  const second = await ask(history, model);
  return [
    { type: 'mode', mode: 'normal', sessionId: SESSION },
    user('u1', null, question.content),
    { ...user('at', 'u1', ''), type: 'attachment', attachment: { type: 'date', date: '2026-01-01' } },
    ...reply('a1', 'at', first),
    user('r1', 'a1', [result], { toolUseResult: { agentId: 'agent-7' } }),
    ...reply('a2', 'r1', second),
  ];
}

const FILE = `projects/-home-me-trees/${SESSION}.jsonl`;

describe('sessions of Claude Code', () => {
  it('IM-71: a reply is whole again, with its signatures, its call and the result; it goes on with its reasoning', async () => {
    const path = await stage.write(FILE, await conversation());
    const report = await stage.load(path);
    expect(report).toMatchObject({ nodes: 4, branches: 1, problems: [] });
    expect(report.reasoning).toMatchObject({ stays: {} });
    expect(report.reasoning.goesBack).toBeGreaterThan(0);
    expect(report.leftOut).toEqual({ 'attachment date': 1 });
    expect(outline(await stage.path(report))).toEqual([
      'user: "notes.txt /sim tools Rea"',
      'assistant: thinking thinking "Let me look that up with" call Read',
      'tool: "A tree has leaves."',
      expect.stringMatching(/^assistant: .*"/),
    ]);
    const { envelope, recorded } = await stage.store.getBranch(idOf(report), 'main');
    expect(envelope).toMatchObject({ provider: 'anthropic', model: 'claude-opus-4-6' });
    expect(recorded).toMatchObject({ client: 'claude-code/2.1.326', session: SESSION, kind: 'main', because: null });
    expect(await stage.goOn(report)).toEqual({ status: 'complete', kinds: ['accepted'], withheld: 0 });
  });

  it('IM-77: a model that binds its thinking does not get it back, and the report says why', async () => {
    const report = await stage.load(await stage.write(FILE, await conversation('claude-sonnet-5-5')));
    expect(report.reasoning).toEqual({ goesBack: 0, stays: { bound: expect.any(Number) as number } });
    expect(await stage.goOn(report)).toMatchObject({ status: 'complete', kinds: ['accepted'] });
  });

  it('IM-71: parallel calls, whose results hang below their own blocks, are one reply and its results', async () => {
    const message = { id: 'msg_1', model: 'claude-opus-4-6', role: 'assistant', type: 'message' };
    const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
    const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: id }];
    const [one = {}, two = {}] = reply('c', 'u1', { ...message, content: [call('toolu_1'), call('toolu_2')] });
    const done = { ...message, id: 'msg_2', content: [{ type: 'text', text: 'Done.' }] };
    const records = [
      user('u1', null, 'Both'),
      one,
      user('r1', 'c0', result('toolu_1')),
      two,
      user('r2', 'c', result('toolu_2')),
      ...reply('d', 'r2', done),
    ];
    const report = await stage.load(await stage.write(FILE, records));
    expect(outline(await stage.path(report))).toEqual([
      'user: "Both"',
      'assistant: call Read call Read',
      'tool: "toolu_1"',
      'tool: "toolu_2"',
      'assistant: "Done."',
    ]);
    expect(report.branches).toBe(1);
  });

  it('IM-72: sub-agents are asides, forks and what was taken back are branches of one project', async () => {
    const main = await conversation();
    const other = 'f0f0f0f0-1111-4222-8333-944445555666';
    const say = (name: string, text: string) => ({
      id: `msg_${name}`,
      model: 'claude-opus-4-6',
      role: 'assistant',
      content: [{ type: 'text', text }],
    });
    await stage.write(FILE, [...main, user('u2', 'u1', 'Otherwise'), ...reply('a3', 'u2', say('a3', 'So.'))]);
    await stage.write(`projects/-home-me-trees/${other}.jsonl`, [
      ...main.map((record) => ({ ...record, sessionId: other })),
      { ...user('u3', 'a2', 'A fork'), sessionId: other },
    ]);
    const side = { isSidechain: true, agentId: 'agent-7' };
    await stage.write(`projects/-home-me-trees/${SESSION}/subagents/agent-7.jsonl`, [
      user('s1', null, 'Look around', side),
      ...reply('s2', 's1', say('s2', 'Found.'), side),
    ]);
    const report = await stage.load(`${stage.directory}/clients/projects`);
    expect(report.projects).toHaveLength(1);
    const branches = await stage.store.listBranches(idOf(report));
    const result = (await stage.path(report)).find(({ role }) => role === 'tool')?.id;
    expect(branches.map(({ name, recorded }) => [name, recorded?.kind, recorded?.beside, recorded?.because])).toEqual([
      ['main', 'main', null, null],
      ['Otherwise', 'main', null, 'rewound'],
      ['A fork', 'main', null, null],
      ['Look around', 'aside', result, null],
    ]);
    expect(outline(await stage.path(report, 'A fork')).at(-1)).toBe('user: "A fork"');
    expect(await stage.load(`${stage.directory}/clients/projects`)).toMatchObject({
      projects: [{ outcome: 'unchanged', addedNodes: 0 }],
    });
  });

  it('IM-73: a compaction begins a branch with the summary and what is kept, which goes on', async () => {
    const main = await conversation();
    const last = main.filter(({ type, uuid: id }) => type === 'assistant' && String(id).startsWith('a2'));
    const kept = { preservedMessages: { allUuids: last.map((record) => record['uuid']) } };
    const boundary = { ...about, type: 'system', subtype: 'compact_boundary', compactMetadata: kept, timestamp: at() };
    const compacted = [
      { ...boundary, parentUuid: null, logicalParentUuid: uuid('a2'), uuid: uuid('cb') },
      user('su', 'cb', 'This session is being continued: leaves.', { isCompactSummary: true }),
      user('u9', 'su', 'Go on'),
    ];
    const report = await stage.load(await stage.write(FILE, [...main, ...compacted]));
    const branch = await stage.store.getBranch(idOf(report), 'compacted');
    expect(branch.recorded).toMatchObject({ because: 'compacted', beside: (await stage.path(report)).at(-1)?.id });
    const path = outline(await stage.path(report, 'compacted'));
    expect([path[0], path[1], path.at(-1)]).toEqual([
      'user: "This session is being co"',
      expect.stringMatching(/^assistant: /),
      'user: "Go on"',
    ]);
    expect(await stage.goOn(report, 'compacted')).toMatchObject({ status: 'complete', kinds: ['accepted'] });
  });

  it('IM-74: a torn line costs itself, unknown kinds are counted, and what was added comes with the next import', async () => {
    const records = await conversation();
    const path = await stage.write(FILE, records.slice(0, 3));
    await appendFile(path, '{"type":"user","uuid":"torn\n{"type":"oracle","sessionId":"x"}\n');
    const first = await stage.load(path);
    expect(first.problems).toEqual([expect.objectContaining({ where: `${SESSION}.jsonl, line 4` })]);
    expect(first.leftOut).toEqual({ 'attachment date': 1, oracle: 1 });
    await appendFile(
      path,
      records
        .slice(3)
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    );
    const second = await stage.load(path);
    expect(second).toMatchObject({ projects: [{ outcome: 'grown', addedNodes: 3 }] });
    expect(await stage.goOn(second)).toEqual({ status: 'complete', kinds: ['accepted'], withheld: 0 });
  });

  it('IM-74: a reply of which only the thought was written waits for its words', async () => {
    const [thought = {}, words = {}] = reply('a', 'u1', {
      id: 'msg_1',
      model: 'claude-opus-4-6',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'Because.' },
      ],
    });
    const path = await stage.write(FILE, [user('u1', null, 'Why?'), thought]);
    expect(await stage.load(path)).toMatchObject({ nodes: 1, leftOut: { 'unfinished reply': 1 } });
    await appendFile(path, `${JSON.stringify(words)}\n`);
    const report = await stage.load(path);
    expect(outline(await stage.path(report))).toEqual(['user: "Why?"', 'assistant: thinking "Because."']);
  });

  it('IM-75: a person who went on here keeps the branch; what the agent says later gets one beside', async () => {
    const records = await conversation();
    const path = await stage.write(FILE, records);
    const first = await stage.load(path);
    await stage.goOn(first);
    await appendFile(path, `${JSON.stringify(user('u8', 'a2', 'The agent goes on'))}\n`);
    await stage.load(path);
    await appendFile(path, `${JSON.stringify(user('u9', 'u8', 'And on'))}\n`);
    const report = await stage.load(path);
    expect(outline(await stage.path(report, 'main 2')).slice(-2)).toEqual([
      'user: "The agent goes on"',
      'user: "And on"',
    ]);
    expect(await stage.store.listBranches(idOf(report))).toHaveLength(2);
  });
});
