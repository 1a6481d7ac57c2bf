import { BoughError } from '@bough/core';
import { BUILT_IN_DEPLOYMENTS } from '@bough/providers';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBringer } from '../../files/bring.ts';
import { damaged, textOf, textsIn } from '../../testing/damage.ts';
import { ENVELOPE } from '../../testing/imported.ts';
import { Sessions } from './index.ts';

type Json = Readonly<Record<string, unknown>>;
const TIME = '2026-01-01T00:00:00.000Z';

const claude = (type: string, uuid: string, parentUuid: string | null, message: Json, more: Json = {}): Json => ({
  type,
  uuid,
  parentUuid,
  sessionId: 'claude-session',
  timestamp: TIME,
  version: '2.1.326',
  message,
  ...more,
});
const made = (id: string, ...content: readonly Json[]): Json => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-6',
  content,
});
const codex = (type: string, payload: Json): Json => ({ timestamp: TIME, type, payload });
const pi = (id: string, parentId: string | null, message: Json): Json => ({
  type: 'message',
  id,
  parentId,
  timestamp: TIME,
  message,
});
const gemini = (id: string, type: string, content: unknown, more: Json = {}): Json => ({
  id,
  timestamp: TIME,
  type,
  content,
  ...more,
});

const CALLED = { functionCall: { id: 'read_1', name: 'read', args: { path: 'roots.txt' } } };
const RESULT = { functionResponse: { id: 'read_1', name: 'read', response: { output: 'Roots hold.' } } };

/** A session of each client with words, thoughts, a call and its result. */
const SOURCES: Readonly<Record<string, readonly Json[]>> = {
  'projects/p/claude-session.jsonl': [
    claude('user', 'c1', null, { role: 'user', content: 'Why do trees stand?' }),
    claude('assistant', 'c2', 'c1', made('m1', { type: 'thinking', thinking: 'Roots, perhaps.', signature: 'sealed' })),
    claude('assistant', 'c3', 'c2', made('m1', { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'roots' } })),
    claude('user', 'c4', 'c3', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'Roots hold.' }] }],
    }),
    claude('assistant', 'c5', 'c4', made('m2', { type: 'text', text: 'Because of roots.' })),
    claude('user', 'c6', 'c5', { role: 'user', content: [{ type: 'text', text: 'Thank you.' }] }),
  ],
  'sessions/rollout-2026-01-01T00-00-00-codex.jsonl': [
    codex('session_meta', { id: 'codex', timestamp: TIME, cwd: '/home/me', model_provider: 'openai' }),
    codex('turn_context', { turn_id: 'one', model: 'gpt-5.4' }),
    codex('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Why trees?' }] }),
    codex('response_item', { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Roots.' }] }),
    codex('response_item', { type: 'function_call', name: 'read', arguments: '{"path":"a"}', call_id: 'f1' }),
    codex('response_item', { type: 'function_call_output', call_id: 'f1', output: 'Roots hold.' }),
    codex('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Roots!' }] }),
  ],
  'agent/2026_pi.jsonl': [
    { type: 'session', version: 3, id: 'pi', timestamp: TIME, cwd: '/home/me' },
    pi('p1', null, { role: 'user', content: [{ type: 'text', text: 'Why do trees stand?' }] }),
    pi('p2', 'p1', {
      role: 'assistant',
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'claude-opus-4-6',
      stopReason: 'toolUse',
      content: [
        { type: 'thinking', thinking: 'Roots, perhaps.', thinkingSignature: 'sealed' },
        { type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'roots.txt' } },
      ],
    }),
    pi('p3', 'p2', { role: 'toolResult', toolCallId: 't1', content: [{ type: 'text', text: 'Roots hold.' }] }),
    pi('p4', 'p3', { role: 'user', content: 'Thank you.' }),
  ],
  'tmp/h/chats/session-2026-gemini.jsonl': [
    { sessionId: 'gemini', projectHash: 'c6275d31', startTime: TIME, lastUpdated: TIME, kind: 'main' },
    gemini('g1', 'user', [{ text: 'Why do trees stand?' }]),
    gemini('g2', 'gemini', [{ text: 'Let me look.' }, CALLED], { model: 'gemini-2.5-pro' }),
    gemini('g3', 'user', [RESULT]),
    gemini('g4', 'gemini', 'Because of roots.', {
      thoughts: [{ subject: 'Roots', description: 'They hold.' }],
      model: 'gemini-2.5-pro',
    }),
  ],
};
const SEEDS = 160;

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-damaged-sessions-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Harvest {
  readonly words: ReadonlySet<string>;
  readonly told: readonly string[];
}

/** What arrives of a session, and what somebody who imports it is told. */
async function harvest(path: string): Promise<Harvest> {
  const words = new Set<string>();
  const told: string[] = [];
  const gather = (value: unknown, key = ''): void => {
    if (typeof value === 'string' && value.length > 2 && key !== 'type') words.add(value);
    if (typeof value === 'object' && value !== null)
      for (const [name, held] of Object.entries(value)) gather(held, name);
  };
  const session = new Sessions(path);
  if (!(await session.areThere())) return { words, told: ['It is no session.'] };
  const input = {
    envelope: ENVELOPE,
    isChosen: false,
    deployments: BUILT_IN_DEPLOYMENTS,
    madeBy: undefined,
    bringer: () =>
      createBringer({ held: null, keeper: null, store: null, temporaryDir: dir, maxBytes: 1e9, signal: undefined }),
    onBytes: () => undefined,
    temporaryDir: dir,
    maxBytes: undefined,
  };
  try {
    for await (const found of session.read(input)) {
      if (found.type === 'problem') told.push(found.problem.message);
      if (found.type === 'leftOut') told.push(...found.kinds);
      if (found.type !== 'project') continue;
      told.push(...found.problems.map(({ message }) => message), ...found.leftOut);
      for await (const record of found.records) {
        if (record.type === 'node') gather([record.value.contentBlocks, record.value.toolCallId]);
        // What a reply's blocks do not show is still in the response.
        else if (record.type === 'call') gather(record.raw?.payload);
      }
    }
  } catch (error) {
    if (!(error instanceof BoughError)) throw error;
    told.push(error.message);
  }
  return { words, told };
}

describe.each(Object.entries(SOURCES))('%s, damaged at random', (name, source) => {
  it('IM-106: never crashes, and what is still in the file arrives or is told', async () => {
    const path = join(dir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, textOf(source, true));
    const healthy = await harvest(path);
    expect(healthy.words.size).toBeGreaterThan(4);
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const text = damaged(source, true, seed);
      await writeFile(path, text);
      const { words, told } = await harvest(path);
      const texts = textsIn(text, true);
      const isThere = (word: string): boolean =>
        texts === null ? text.includes(JSON.stringify(word).slice(1, -1)) : texts.has(word);
      const arrived = [...words];
      const lost = [...healthy.words].filter((word) => isThere(word) && !arrived.some((each) => each.includes(word)));
      const about = JSON.stringify({ seed, lost, told, text });
      // Where a name of a field was hit and the rest is whole, nothing tells that there ever was such a field.
      const isName = texts !== null && seed % 8 < 3;
      const isTold = told.some((each) => !healthy.told.includes(each));
      if (lost.length > 0 && !isName) expect(isTold, about).toBe(true);
      expect(told.join(' '), about).not.toMatch(/undefined|\[object|is not a function|Cannot read/);
    }
  });
});
