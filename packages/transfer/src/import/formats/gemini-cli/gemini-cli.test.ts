import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStage } from '../sessions/testing.ts';
import { idOf, outline, sessionStage } from '../sessions/testing.ts';

let stage: SessionStage;
beforeEach(async () => {
  stage = await sessionStage();
});
afterEach(() => stage.close());

type Json = Readonly<Record<string, unknown>>;
let count = 0;
const timestamp = (): string => new Date(Date.UTC(2026, 0, 1, 0, 0, (count += 1))).toISOString();
const head = (sessionId: string, kind = 'main'): Json => ({
  sessionId,
  projectHash: 'c6275d31',
  startTime: timestamp(),
  lastUpdated: timestamp(),
  kind,
});
const user = (id: string, ...content: readonly Json[]): Json => ({ id, timestamp: timestamp(), type: 'user', content });
const gemini = (id: string, content: string, more: Json = {}): Json => ({
  id,
  timestamp: timestamp(),
  type: 'gemini',
  content,
  thoughts: [],
  model: 'gemini-2.5-pro',
  ...more,
});
const set = (messages: readonly Json[]): Json => ({ $set: { messages, lastUpdated: timestamp() } });

const THOUGHTS = [{ subject: 'Leaves', description: 'A tree has them.', timestamp: timestamp() }];
const CALL_ID = 'read_file_1767225600000_0';
const RESULT = { functionResponse: { id: CALL_ID, name: 'read_file', response: { output: 'A tree has leaves.' } } };
const CALL = { id: CALL_ID, name: 'read_file', args: { path: 'notes.txt' }, status: 'success', result: [RESULT] };

/** A chat as the client writes it: a reply is written again when its calls are known, and results twice. */
const CHAT: readonly Json[] = [
  head('s1'),
  set([user('u0', { text: '<session_context>' })]),
  user('u1', { text: 'Read my notes' }),
  { $set: { lastUpdated: timestamp() } },
  gemini('g1', 'I will look.', { thoughts: THOUGHTS }),
  gemini('g1', 'I will look.', { thoughts: THOUGHTS, toolCalls: [CALL] }),
  user('r1', RESULT),
  gemini('g2', 'It has leaves.'),
];
const NAME = 'tmp/trees/chats/session-2026-01-01T00-00-s1.jsonl';

const WHOLE = [
  'user: "<session_context>"',
  'user: "Read my notes"',
  'assistant: thinking "I will look." call read_file',
  'tool: "A tree has leaves."',
  'assistant: "It has leaves."',
];

describe('chats of Gemini CLI', () => {
  it('IM-71: thoughts, calls and results are there once; the report says that no signature was kept', async () => {
    const report = await stage.load(await stage.write(NAME, CHAT));
    expect(outline(await stage.path(report))).toEqual(WHOLE);
    expect(report).toMatchObject({ problems: [], leftOut: {}, reasoning: { goesBack: 0, stays: { unsigned: 1 } } });
    const { envelope } = await stage.store.getBranch(idOf(report), 'main');
    expect(envelope).toMatchObject({ provider: 'gemini', model: 'gemini-2.5-pro' });
    const { status, kinds } = await stage.goOn(report);
    expect([status, kinds.includes('rejected')]).toEqual(['complete', false]);
  });

  it('IM-72: a chat that was gone on with has two files, and is one', async () => {
    const folder = dirname(await stage.write(NAME, CHAT));
    await stage.write(NAME.replace('00-00', '00-09'), [head('s1'), set([user('u0', { text: '<session_context>' })])]);
    const begun = await stage.load(folder);
    expect(begun).toMatchObject({ problems: [], branches: 1 });
    expect(outline(await stage.path(begun))).toEqual(WHOLE);
    await stage.write(NAME.replace('00-00', '00-10'), [head('s1'), ...CHAT.slice(1), user('u2', { text: 'Thanks' })]);
    const report = await stage.load(folder);
    expect(report).toMatchObject({ problems: [], branches: 1, projects: [{ outcome: 'grown', addedNodes: 1 }] });
    expect(outline(await stage.path(report))).toEqual([...WHOLE, 'user: "Thanks"']);
  });

  it('IM-71: a chat is called what the client noted about it', async () => {
    const report = await stage.load(await stage.write(NAME, [...CHAT, { $set: { summary: 'Leaves of a tree' } }]));
    expect(report.projects).toMatchObject([{ name: 'Leaves of a tree' }]);
  });

  it.each([
    ['after it was imported', true],
    ['before', false],
  ])('IM-74: a chat that was resumed %s is written again, and is the same', async (_when, wasThere) => {
    if (wasThere) await stage.load(await stage.write(NAME, CHAT));
    const thought = { text: 'A tree has them.', thought: true };
    const call = { functionCall: { id: CALL_ID, name: 'read_file', args: { path: 'notes.txt' } } };
    const again = [
      head('s1'),
      set([user('u0', { text: '<session_context>' })]),
      set([
        user('u0', { text: '<session_context>' }),
        user('u1', { text: 'Read my notes' }),
        { ...gemini('g1', ''), content: [thought, { text: 'I will look.' }, call] },
        { ...user('g1', RESULT) },
        user('r1', RESULT),
        gemini('g2', 'It has leaves.'),
      ]),
      user('u2', { text: 'On' }),
    ];
    const second = await stage.load(await stage.write(NAME, [...CHAT, ...again]));
    const outcome = wasThere ? { outcome: 'grown', addedNodes: 1 } : { outcome: 'new', addedNodes: 6 };
    expect(second.projects).toMatchObject([outcome]);
    expect(outline(await stage.path(second))).toEqual([...WHOLE, 'user: "On"']);
  });

  it('IM-72: what was taken back is a branch, and a sub-agent an aside', async () => {
    const back = [user('u2', { text: 'Wrong' }), { $rewindTo: 'u2' }, user('u3', { text: 'Right' })];
    await stage.write(NAME, [...CHAT, ...back, { ...gemini('i1', 'x'), type: 'info' }, { shape: 'unknown' }]);
    await stage.write('tmp/trees/chats/s1/s2.jsonl', [head('s2', 'subagent'), user('a1', { text: 'Look around' })]);
    const report = await stage.load(`${stage.directory}/clients/tmp`);
    const branches = await stage.store.listBranches(idOf(report));
    expect(branches.map(({ name, recorded }) => [name, recorded?.kind, recorded?.because])).toEqual([
      ['main', 'main', null],
      ['Right', 'main', 'rewound'],
      ['Look around', 'aside', null],
    ]);
    expect(report.leftOut).toEqual({ 'message info': 1, 'record shape': 1 });
  });

  it('IM-71: chats of older versions and saved checkpoints are one value', async () => {
    const messages = [user('u1', { text: 'Read my notes' }), gemini('g2', 'It has leaves.', { thoughts: THOUGHTS })];
    const path = await stage.write('tmp/abc/chats/session-old.json', []);
    await writeFile(path, JSON.stringify({ ...head('old'), messages }, null, 2));
    const contents = [
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts: [{ text: 'Hello!' }] },
    ];
    await writeFile(`${dirname(dirname(path))}/checkpoint-mine.json`, JSON.stringify(contents, null, 2));
    const report = await stage.load(`${stage.directory}/clients/tmp`);
    expect(report.projects.map(({ name, addedNodes }) => [name, addedNodes])).toEqual([
      ['Read my notes', 2],
      ['Hello', 2],
    ]);
  });
});
