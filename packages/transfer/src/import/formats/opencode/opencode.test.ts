import { isPlainObject } from '@bough/core';
import { mkdir, writeFile } from 'node:fs/promises';
import sqlite from 'node-sqlite3-wasm';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStage } from '../sessions/testing.ts';
import { idOf, outline, READ_TOOL, sessionStage } from '../sessions/testing.ts';

let stage: SessionStage;
beforeEach(async () => {
  stage = await sessionStage();
});
afterEach(() => stage.close());

type Json = Readonly<Record<string, unknown>>;
interface Message {
  readonly id: string;
  readonly value: Json;
  readonly parts: readonly Json[];
}
interface Session {
  readonly id: string;
  readonly parent?: string;
  readonly title: string;
  readonly messages: readonly Message[];
}

const listIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isPlainObject) : []);
const user = (id: string, ...parts: readonly Json[]): Message => ({
  id,
  value: { role: 'user', time: { created: 1 } },
  parts,
});
const text = (words: string, metadata?: Json): Json => ({ type: 'text', text: words, ...(metadata && { metadata }) });
const reply = (id: string, provider: string, model: string, parts: readonly Json[]): Message => ({
  id,
  value: { role: 'assistant', providerID: provider, modelID: model, time: { created: 2, completed: 3 } },
  parts: [{ type: 'step-start' }, ...parts, { type: 'step-finish', tokens: { input: 9, output: 9 } }],
});
const QUESTION = 'notes.txt /sim tools read';
const tool = (id: unknown, metadata: Json = {}): Json => ({
  type: 'tool',
  tool: 'read',
  callID: id,
  metadata,
  state: { status: 'completed', input: {}, output: 'A tree has leaves.' },
});

async function fromAnthropic(): Promise<readonly Json[]> {
  const answer = await stage.ask('/v1/messages', {
    model: 'claude-opus-4-6',
    max_tokens: 4000,
    thinking: { type: 'adaptive' },
    messages: [{ role: 'user', content: QUESTION }],
    tools: [{ name: 'read', input_schema: READ_TOOL }],
  });
  return listIn(answer['content']).map((block) => {
    if (block['type'] === 'thinking')
      return { type: 'reasoning', text: block['thinking'], metadata: { anthropic: { signature: block['signature'] } } };
    return block['type'] === 'tool_use' ? tool(block['id']) : text(String(block['text']));
  });
}

async function fromOpenAi(): Promise<readonly Json[]> {
  const answer = await stage.ask('/v1/responses', {
    model: 'gpt-5.4',
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'medium', summary: 'auto' },
    input: [{ role: 'user', content: QUESTION }],
    tools: [{ type: 'function', name: 'read', parameters: READ_TOOL }],
  });
  return listIn(answer['output']).flatMap((item): readonly Json[] => {
    const itemId = item['id'];
    if (item['type'] === 'function_call') return [tool(item['call_id'], { openai: { itemId } })];
    if (item['type'] === 'message')
      return [text(String(listIn(item['content'])[0]?.['text']), { openai: { itemId, phase: item['phase'] } })];
    // Each thought is a part, and the last one holds the ciphertext.
    return listIn(item['summary']).map((thought, at, all) => ({
      type: 'reasoning',
      text: thought['text'],
      metadata: {
        openai: { itemId, ...(at === all.length - 1 && { reasoningEncryptedContent: item['encrypted_content'] }) },
      },
    }));
  });
}

function writeDatabase(path: string, sessions: readonly Session[]): void {
  const database = new sqlite.Database(path);
  database.exec(`
    CREATE TABLE session (id text, parent_id text, title text, version text, time_created integer);
    CREATE TABLE message (id text, session_id text, time_created integer, data text);
    CREATE TABLE part (id text, message_id text, session_id text, data text)`);
  for (const [at, { id, parent = null, title, messages }] of sessions.entries()) {
    database.run('INSERT INTO session VALUES (?, ?, ?, ?, ?)', [id, parent, title, '1.18.33', 1767225600000 + at]);
    for (const [when, message] of messages.entries()) {
      database.run('INSERT INTO message VALUES (?, ?, ?, ?)', [message.id, id, when, JSON.stringify(message.value)]);
      for (const [index, part] of message.parts.entries())
        database.run('INSERT INTO part VALUES (?, ?, ?, ?)', [`p${index}`, message.id, id, JSON.stringify(part)]);
    }
  }
  database.close();
}

async function databaseOf(...sessions: readonly Session[]): Promise<string> {
  const directory = join(stage.directory, 'clients', 'opencode');
  await mkdir(directory, { recursive: true });
  writeDatabase(join(directory, 'opencode.db'), sessions);
  return directory;
}

describe('sessions of opencode', () => {
  it.each([
    ['anthropic', 'claude-opus-4-6', fromAnthropic],
    ['openai', 'gpt-5.4', fromOpenAi],
  ] as const)('IM-71: its database: a reply of %s goes on with its reasoning', async (provider, model, ask) => {
    const messages = [user('m1', text(QUESTION)), reply('m2', provider, model, await ask())];
    const directory = await databaseOf({ id: 'ses_1', title: 'Trees', messages });
    const report = await stage.load(directory);
    expect(report).toMatchObject({ projects: [{ name: 'Trees' }], nodes: 3, problems: [], leftOut: {} });
    expect(report.reasoning).toEqual({ goesBack: 1, stays: {} });
    expect(await stage.goOn(report)).toEqual({ status: 'complete', kinds: ['accepted'], withheld: 0 });
    expect(await stage.load(join(directory, 'opencode.db'))).toMatchObject({ projects: [{ outcome: 'unchanged' }] });
  });

  it('IM-72, IM-73: sub-agents are asides, a compaction begins a branch, an error is an error reply', async () => {
    const failed = { ...reply('m4', 'anthropic', 'claude-opus-4-6', [text('So')]) };
    const error = { name: 'APIError', data: { message: 'Overloaded' } };
    const directory = await databaseOf(
      {
        id: 'ses_1',
        title: 'Trees',
        messages: [
          user('m1', text('Hello')),
          reply('m2', 'anthropic', 'claude-opus-4-6', [text('Hello!')]),
          user('m3', { type: 'compaction', auto: true }),
          reply('m3s', 'anthropic', 'x', [text('A summary.')]),
          user('m5', text('Go on'), { type: 'oracle' }),
          { ...failed, value: { ...failed.value, error } },
        ],
      },
      { id: 'ses_2', parent: 'ses_1', title: 'Explore (@general subagent)', messages: [user('n1', text('Look'))] },
    );
    const report = await stage.load(directory);
    const branches = await stage.store.listBranches(idOf(report));
    expect(branches.map(({ name, recorded }) => [name, recorded?.kind, recorded?.because])).toEqual([
      ['main', 'main', null],
      ['compacted', 'main', 'compacted'],
      ['Explore (@general subagent)', 'aside', null],
    ]);
    const path = await stage.path(report, 'compacted');
    expect(outline(path)).toEqual([
      'user: "What did we do so far?"',
      'assistant: "A summary."',
      'user: "Go on"',
      'assistant: "So"',
      'assistant: "Overloaded"',
    ]);
    expect(path.slice(-2).map(({ interrupted, isError }) => [interrupted, isError])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(report.leftOut).toEqual({ 'part oracle': 1 });
  });

  it('IM-74: sessions that are kept in a newer form are told, and become no empty projects', async () => {
    const directory = await databaseOf({ id: 'ses_new', title: 'Newer', messages: [] });
    const database = new sqlite.Database(join(directory, 'opencode.db'));
    database.exec('CREATE TABLE session_message (id text, session_id text, type text, seq integer, data text)');
    database.run("INSERT INTO session_message VALUES ('m1', 'ses_new', 'user', 1, '{}')");
    database.close();
    const report = await stage.load(directory);
    expect(report.projects).toEqual([]);
    expect(report.problems).toEqual([
      {
        where: 'session ses_new',
        message: 'Its 1 message(s) are in the table session_message, which Bough does not read.',
      },
    ]);
  });

  it('IM-71, IM-74: the small files of older versions; one that is damaged costs itself', async () => {
    const root = join(stage.directory, 'clients', 'opencode');
    const put = async (path: string, value: unknown): Promise<void> => {
      await mkdir(dirname(join(root, 'storage', path)), { recursive: true });
      await writeFile(join(root, 'storage', path), typeof value === 'string' ? value : JSON.stringify(value));
    };
    await put('session/global/ses_1.json', { id: 'ses_1', title: 'Old', version: '0.9', time: { created: 1 } });
    await put('message/ses_1/msg_1.json', { role: 'user', time: { created: 1 } });
    await put('part/msg_1/prt_1.json', text('Hello'));
    await put('part/msg_1/prt_2.json', '{"type":"te');
    await put('session/global/ses_2.json', '{"id":"ses_2",');
    const report = await stage.load(root);
    expect(report).toMatchObject({
      projects: [{ name: 'Old' }],
      problems: [{ where: 'session/global/ses_2.json' }, { where: 'part/msg_1/prt_2.json' }],
    });
    expect(outline(await stage.path(report))).toEqual(['user: "Hello"']);
  });
});
