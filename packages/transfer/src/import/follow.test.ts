import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStage } from './formats/sessions/testing.ts';
import { idOf, outline, sessionStage } from './formats/sessions/testing.ts';

let stage: SessionStage;
let ending: AbortController;
beforeEach(async () => {
  stage = await sessionStage();
  ending = new AbortController();
});
afterEach(() => stage.close());

type Json = Readonly<Record<string, unknown>>;
const header = (id: string): Json => ({ type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z' });
const entry = (id: string, parentId: string | null, message: Json): Json => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2026-01-01T00:00:01.000Z',
  message,
});
const user = (id: string, parentId: string | null, text: string): Json =>
  entry(id, parentId, { role: 'user', content: [{ type: 'text', text }] });
const reply = (id: string, parentId: string, text: string): Json =>
  entry(id, parentId, {
    role: 'assistant',
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-opus-4-6',
    content: [{ type: 'text', text }],
  });
const name = (id: string): string => `sessions/2026-01-01T00-00-00-000Z_${id}.jsonl`;
const add = (path: string, ...lines: readonly Json[]): Promise<void> =>
  appendFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

/** What is stored of the only project, or of the one with this number. */
async function stored(at = 0): Promise<readonly string[]> {
  const [...projects] = (await stage.store.listProjects()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const project = projects[at];
  if (project === undefined) return [];
  return outline(await stage.pathIn(project.id));
}

describe('following', () => {
  it('IM-76: what an agent writes becomes nodes while it writes, a torn line waits, new files are found', async () => {
    const path = await stage.write(name('one'), [header('one'), user('u1', null, 'A question')]);
    const done = stage.follow(join(stage.directory, 'clients'), { signal: ending.signal });
    await expect.poll(() => stored()).toEqual(['user: "A question"']);
    await add(path, reply('a1', 'u1', 'An answer'));
    await expect.poll(() => stored()).toEqual(['user: "A question"', 'assistant: "An answer"']);
    const line = JSON.stringify(user('u2', 'a1', 'Another'));
    await appendFile(path, line.slice(0, 30));
    await stage.write(name('two'), [header('two'), user('v1', null, 'B question')]);
    await expect.poll(() => stored(1)).toEqual(['user: "B question"']);
    expect(await stored()).toHaveLength(2);
    await appendFile(path, `${line.slice(30)}\n`);
    await expect.poll(async () => (await stored()).at(-1)).toBe('user: "Another"');
    // Written just before the end, and there all the same.
    await add(path, reply('a2', 'u2', 'The last words'));
    ending.abort();
    const report = await done;
    expect(report.projects.map(({ addedNodes, outcome }) => [addedNodes, outcome])).toEqual([
      [4, 'new'],
      [1, 'new'],
    ]);
    expect(report).toMatchObject({ nodes: 5, problems: [] });
    expect((await stored()).at(-1)).toBe('assistant: "The last words"');
    // The branch got the model of its first reply.
    const { envelope } = await stage.store.getBranch(idOf(report), 'main');
    expect(envelope.model).toBe('claude-opus-4-6');
  });

  it('IM-76: a reply that is written block by block is taken in when it is whole', async () => {
    const about = { sessionId: 's', isSidechain: false, timestamp: '2026-01-01T00:00:00.000Z' };
    const block = (uuid: string, parentUuid: string, content: Json): Json => ({
      ...about,
      type: 'assistant',
      uuid,
      parentUuid,
      message: { id: 'msg_1', role: 'assistant', model: 'claude-opus-4-6', content: [content] },
    });
    const question = {
      ...about,
      type: 'user',
      uuid: 'u',
      parentUuid: null,
      message: { role: 'user', content: 'Why?' },
    };
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
    const path = await stage.write('projects/p/s.jsonl', [question, block('a', 'u', thinking)]);
    const done = stage.follow(path, { signal: ending.signal, quietMs: 60 });
    await expect.poll(() => stored()).toEqual(['user: "Why?"']);
    await add(path, block('b', 'a', { type: 'text', text: 'Because.' }));
    await expect.poll(() => stored()).toEqual(['user: "Why?"', 'assistant: thinking "Because."']);
    ending.abort();
    expect(await done).toMatchObject({ nodes: 2, leftOut: {} });
  });

  it('IM-76: what is no session cannot be followed', async () => {
    const path = await stage.write('conversations.json', [{}]);
    await expect(stage.follow(path, { signal: ending.signal })).rejects.toMatchObject({ code: 'unknown_source' });
  });
});
