import { isPlainObject, projectId } from '@bough/core';
import { appendFile, writeFile } from 'node:fs/promises';
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
const line = (type: string, payload: Json): Json => ({
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, (count += 1))).toISOString(),
  type,
  payload,
});
const OWN = { internal_chat_message_metadata_passthrough: { turn_id: 'turn' } };
const item = (payload: Json): Json => line('response_item', { ...payload, ...OWN });
const said = (role: string, text: string): Json => ({ type: 'message', role, content: [{ type: 'input_text', text }] });
const turn = (id: string): Json => line('turn_context', { turn_id: id, model: 'gpt-5.4' });
const counted = (): Json => line('event_msg', { type: 'token_count', info: { last_token_usage: { input_tokens: 9 } } });
const meta = (id: string, more: Json = {}): Json =>
  line('session_meta', {
    id,
    timestamp: '2026-01-01T00:00:00.000Z',
    cwd: '/home/me/trees',
    cli_version: '0.169.0',
    model_provider: 'openai',
    base_instructions: { text: 'You are a coding agent.' },
    source: 'exec',
    ...more,
  });

const ask = async (input: readonly unknown[]): Promise<readonly Json[]> => {
  const response = await stage.ask('/v1/responses', {
    model: 'gpt-5.4',
    store: false,
    include: ['reasoning.encrypted_content'],
    input,
    reasoning: { effort: 'medium', summary: 'auto' },
    tools: [{ type: 'function', name: 'read', parameters: READ_TOOL }],
  });
  return Array.isArray(response['output']) ? response['output'].filter(isPlainObject) : [];
};

/** A thread with reasoning and a tool, as the client writes it. */
async function thread(id: string, more: Json = {}): Promise<Json[]> {
  const question = said('user', 'notes.txt /sim tools read');
  const first = await ask([question]);
  const callId = first.find(({ type }) => type === 'function_call')?.['call_id'];
  const output = { type: 'function_call_output', call_id: callId, output: 'A tree has leaves.' };
  const second = await ask([question, ...first, output]);
  return [
    meta(id, more),
    turn('one'),
    item(said('developer', 'Read only.')),
    item(said('user', '<environment/>')),
    item(question),
    ...first.map(item),
    counted(),
    item(output),
    ...second.map(item),
    counted(),
  ];
}

const name = (id: string): string => `sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id}.jsonl`;

describe('sessions of Codex', () => {
  it('IM-71: items become replies with their ciphertext, instructions and results; the thread goes on', async () => {
    const report = await stage.load(await stage.write(name('a'), await thread('a')));
    expect(report).toMatchObject({ problems: [], leftOut: {}, turns: 1 });
    expect(report.reasoning).toMatchObject({ stays: {} });
    const path = await stage.path(report);
    expect(outline(path).slice(0, 3)).toEqual([
      'system: "Read only."',
      'user: "<environment/>"',
      'user: "notes.txt /sim tools rea"',
    ]);
    expect(outline(path).filter((each) => each.startsWith('tool'))).toEqual(['tool: "A tree has leaves."']);
    expect(path.some(({ contentBlocks }) => JSON.stringify(contentBlocks).includes('gAAAA'))).toBe(true);
    const { envelope } = await stage.store.getBranch(idOf(report), 'main');
    expect(envelope).toMatchObject({
      provider: 'openai_responses',
      model: 'gpt-5.4',
      systemPrompt: 'You are a coding agent.',
    });
    expect(await stage.goOn(report)).toEqual({ status: 'complete', kinds: ['accepted'], withheld: 0 });
  });

  it('IM-72: a fork is a branch where it leaves the thread, and a sub-agent an aside of it', async () => {
    const main = await thread('a');
    await stage.write(name('a'), main);
    await stage.write(name('b'), [
      meta('b', { forked_from_id: 'a', timestamp: '2026-01-01T01:00:00.000Z' }),
      ...main,
      turn('two'),
      item(said('user', 'A fork')),
    ]);
    const source = { subagent: { thread_spawn: { parent_thread_id: 'a', depth: 1 } } };
    await stage.write(name('c'), [meta('c', { source }), turn('x'), item(said('user', 'Look around'))]);
    const report = await stage.load(`${stage.directory}/clients`);
    expect(report.projects).toHaveLength(1);
    const branches = await stage.store.listBranches(idOf(report));
    expect(branches.map((branch) => [branch.name, branch.recorded?.kind, branch.recorded?.beside])).toEqual([
      ['main', 'main', null],
      ['A fork', 'main', null],
      ['Look around', 'aside', (await stage.path(report)).at(-1)?.id],
    ]);
    expect(await stage.path(report, 'A fork')).toHaveLength((await stage.path(report)).length + 1);
  });

  it('IM-72: a fork that repeats nothing begins with what its file names, also of a thread that went back', async () => {
    const main = (await thread('a')).map((record, ordinal) => ({ ...record, ordinal }));
    const more = [turn('two'), item(said('user', 'Wrong way'))].map((record, at) => ({
      ...record,
      ordinal: main.length + at,
    }));
    await stage.write(name('a'), [...main, ...more]);
    const base = (rollout: string, end: number): Json => ({
      history_base: { thread_id: rollout, end_ordinal_exclusive: end, end_byte_offset: 1 },
    });
    // The thread went back to before its second turn, and was forked from there.
    const back = [
      { ...meta('a', base('a', main.length)), ordinal: main.length },
      { ...turn('three'), ordinal: main.length + 1 },
      { ...item(said('user', 'Right way')), ordinal: main.length + 2 },
    ];
    await stage.write(name('a_r'), back);
    const fork = meta('b', { forked_from_id: 'a', ...base('r', main.length + 3) });
    await stage.write(name('b'), [fork, turn('four'), item(said('user', 'A fork'))]);
    const report = await stage.load(`${stage.directory}/clients`);
    expect(report).toMatchObject({ problems: [], projects: [{ outcome: 'new' }] });
    const tree = outline(await stage.path(report));
    expect(tree.at(-1)).toBe('user: "Wrong way"');
    const right = [...tree.slice(0, -1), 'user: "Right way"'];
    expect(outline(await stage.path(report, 'Right way'))).toEqual(right);
    expect(outline(await stage.path(report, 'A fork'))).toEqual([...right, 'user: "A fork"']);

    const alone = await stage.load(await stage.write(name('c').replace('sessions', 'elsewhere'), [fork]));
    expect(alone.problems).toMatchObject([{ message: 'It begins with a part of the thread r, which is not there.' }]);
  });

  it('IM-72: a review is an aside of the thread that it names', async () => {
    await stage.write(name('a'), await thread('a'));
    const review = meta('r', { source: { subagent: 'review' }, parent_thread_id: 'a' });
    await stage.write(name('r'), [review, turn('x'), item(said('user', 'Review this'))]);
    const report = await stage.load(`${stage.directory}/clients`);
    expect(report.projects).toHaveLength(1);
    expect((await stage.store.getBranch(idOf(report), 'Review this')).recorded?.kind).toBe('aside');
  });

  it('IM-71: rollouts of the first versions are lines of bare items, or one value', async () => {
    const old = { timestamp: '2025-07-18T10:00:00.000Z', instructions: 'Be kind.' };
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Leaves.' }] };
    const call = { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' };
    const items = [
      said('user', 'What is here?'),
      reasoning,
      call,
      { type: 'function_call_output', call_id: 'c1', output: '{"output":"notes.txt","metadata":{"exit_code":0}}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Notes.' }] },
    ];
    const state = { record_type: 'state' };
    await stage.write('sessions/2025/07/18/rollout-2025-07-18T10-00-00-l.jsonl', [
      { id: 'l', ...old, git: { branch: 'main' } },
      items[0],
      state,
      ...items.slice(1),
    ]);
    const whole = await stage.write('sessions/rollout-2025-04-20-w.json', []);
    await writeFile(whole, JSON.stringify({ session: { id: 'w', ...old }, items }, null, 2));
    const report = await stage.load(`${stage.directory}/clients`);
    expect(report).toMatchObject({ problems: [], leftOut: {}, projects: [{ addedNodes: 4 }, { addedNodes: 4 }] });
    for (const { id } of report.projects) {
      expect(outline(await stage.pathIn(projectId(id)))).toEqual([
        'user: "What is here?"',
        'assistant: thinking call shell',
        'tool: "{"output":"notes.txt","m"',
        'assistant: "Notes."',
      ]);
      expect((await stage.store.getBranch(projectId(id), 'main')).envelope.systemPrompt).toBe('Be kind.');
    }
  });

  it('IM-72: what was rolled back stays as a branch', async () => {
    const main = await thread('a');
    const back = [line('event_msg', { type: 'thread_rolled_back', num_turns: 1 }), turn('three')];
    const more = [turn('two'), item(said('user', 'Wrong way')), ...back, item(said('user', 'Right way'))];
    const report = await stage.load(await stage.write(name('a'), [...main, ...more]));
    expect(outline(await stage.path(report)).at(-1)).toBe('user: "Wrong way"');
    const right = await stage.path(report, 'Right way');
    expect(outline(right).at(-1)).toBe('user: "Right way"');
    expect(right).toHaveLength((await stage.path(report)).length);
  });

  it('IM-73: a compaction begins a branch with what the model is given then, its summary included', async () => {
    const main = await thread('a');
    const question = said('user', 'notes.txt /sim tools none');
    const compacted = await stage.ask('/v1/responses/compact', { model: 'gpt-5.4', input: [question] });
    const output = Array.isArray(compacted['output']) ? compacted['output'].filter(isPlainObject) : [];
    const records = [
      ...main,
      line('compacted', { message: '', replacement_history: output }),
      turn('two'),
      item(said('user', 'Go on')),
    ];
    const report = await stage.load(await stage.write(name('a'), records));
    const branch = await stage.store.getBranch(idOf(report), 'compacted');
    expect(branch.recorded).toMatchObject({ because: 'compacted', beside: (await stage.path(report)).at(-1)?.id });
    expect(outline(await stage.path(report, 'compacted')).at(-1)).toBe('user: "Go on"');
    expect(await stage.goOn(report, 'compacted')).toMatchObject({ status: 'complete', kinds: ['accepted'] });
  });

  it('IM-74: a thread that grew gets what is new, a line that is not finished waits', async () => {
    const records = await thread('a');
    const path = await stage.write(name('a'), records.slice(0, 6));
    await appendFile(path, JSON.stringify(records[6]).slice(0, 40));
    const first = await stage.load(path);
    expect(first).toMatchObject({ problems: [], leftOut: { 'unfinished last line': 1, 'unfinished reply': 1 } });
    const second = await stage.load(await stage.write(name('a'), records));
    expect(second.projects).toMatchObject([{ outcome: 'grown' }]);
    expect(await stage.load(path)).toMatchObject({ projects: [{ outcome: 'unchanged', addedNodes: 0 }] });
    expect(await stage.goOn(second)).toEqual({ status: 'complete', kinds: ['accepted'], withheld: 0 });
  });

  it('IM-74: what lies beside the sessions and is none is counted, compressed sessions by themselves', async () => {
    await stage.write(name('a'), await thread('a'));
    await writeFile(`${stage.directory}/clients/sessions/2026/01/01/rollout-old.jsonl.zst`, 'compressed');
    await stage.write('settings.json', [{ theme: 'dark' }]);
    const report = await stage.load(`${stage.directory}/clients`);
    expect(report.projects).toHaveLength(1);
    expect(report.leftOut).toEqual({ 'file that is no session': 1, 'compressed session ("zstd -d" unpacks it)': 1 });
  });

  it('IM-77: replies of a provider that is not set up are shown and stay here, unless the person names it', async () => {
    const path = await stage.write(name('a'), await thread('a', { model_provider: 'corporate' }));
    const report = await stage.load(path);
    expect(report.reasoning).toEqual({ goesBack: 0, stays: { unknown_maker: expect.any(Number) as number } });
    expect((await stage.path(report)).find(({ role }) => role === 'assistant')?.provider).toBe('corporate');
    const named = await stage.load(path, { madeBy: 'openai_responses' });
    expect(named.reasoning).toMatchObject({ stays: {} });
  });
});
