import type { StreamLine } from '@bough/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, say, shown, startTestServer } from './testing/start.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

async function project(input: Parameters<TestServer['client']['createProject']>[0] = {}): Promise<string> {
  return (await server.client.createProject(input)).project.id;
}

const PROVIDERS = ['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'];

describe('a turn over HTTP', () => {
  it.each(PROVIDERS)(
    'EN-1: %s streams thinking and text, and the history holds exactly what was shown',
    async (provider) => {
      const id = await project({ provider });
      const lines = await say(server.client, id, 'main', 'Why is the sky blue?');
      expect(endOf(lines)).toMatchObject({ status: 'complete', stopReason: 'end_turn' });
      expect(lines.map((line) => line.seq)).toEqual(lines.map((_, index) => index + 1));
      const { groups } = await server.client.history(id, { ref: 'main' });
      expect(groups).toHaveLength(1);
      const reply = groups[0]?.reply[0];
      expect(reply?.content).toBe(shown(lines, 'text'));
      expect(groups[0]?.user?.content).toBe('Why is the sky blue?');
      expect(groups[0]).toMatchObject({ status: 'complete', isThinkingMode: true });
    },
  );

  it.each(PROVIDERS)(
    'EN-2: %s runs tools in several steps and in parallel, and is asked again with their results',
    async (provider) => {
      const id = await project({ provider, tools: ['calculator', 'current_time'] });
      const lines = await say(server.client, id, 'main', '/sim tools calculator current_time x2 steps 2');
      expect(endOf(lines).status).toBe('complete');
      const calls = lines.filter((line) => line.type === 'tool_call');
      const results = lines.filter((line) => line.type === 'tool_result');
      expect(calls.length).toBeGreaterThanOrEqual(3);
      expect(results.map((line) => line.toolCallId).sort()).toEqual(calls.map((line) => line.id).sort());
      expect(results.every((line) => !line.isError)).toBe(true);
      // The next message replays all of it; the simulator would reject a wrong pairing.
      expect(endOf(await say(server.client, id, 'main', 'And now?')).status).toBe('complete');
    },
  );

  it.each([
    ['simulated', '"is_error":true'],
    ['simulated_gemini', '"response":{"error":'],
  ])('EN-3: %s is told on the wire that a tool has failed', async (provider, mark) => {
    const id = await project({ provider, tools: ['read_node', 'current_time'] });
    const lines = await say(server.client, id, 'main', '/sim tools read_node');
    expect(shown(lines, 'text')).toContain('`read_node` failed:');
    const well = await say(server.client, id, 'main', '/sim tools current_time');
    expect(shown(well, 'text')).toContain('`current_time`: ');
    const { body } = (await server.client.context(id, { ref: 'main', message: 'Go on' })).request;
    expect(body.split(mark)).toHaveLength(2);
  });

  it('EN-3: a failed tool is a result that the model reads, and the turn goes on', async () => {
    const id = await project({ tools: ['read_node'] });
    const lines = await say(server.client, id, 'main', '/sim tools read_node');
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({ isError: true });
    expect(endOf(lines).status).toBe('complete');
  });

  it('EN-4: the user’s message is stored although the provider fails, and the error is a reply that is never sent', async () => {
    const id = await project();
    const failed = await say(server.client, id, 'main', 'Hello /sim fault 500 x9');
    expect(endOf(failed).status).toBe('error');
    expect(failed.some((line) => line.type === 'error')).toBe(true);
    const { groups } = await server.client.history(id, { ref: 'main' });
    expect(groups[0]?.user?.content).toContain('Hello');
    expect(groups[0]?.reply).toMatchObject([{ isError: true }]);
    const preview = await server.client.context(id, { ref: 'main', message: 'again' });
    expect(preview.report.map((line) => [line.fidelity, line.reasons])).toContainEqual(['dropped', ['error_reply']]);
    expect(preview.request.body).not.toContain(groups[0]?.reply[0]?.content);
    expect(endOf(await say(server.client, id, 'main', 'again')).status).toBe('complete');
  });

  it('EN-5: what came before a cut is kept, with the error behind it, and the next message works', async () => {
    const id = await project();
    const lines = await say(server.client, id, 'main', 'Tell me. /sim long 4000 /sim fault cut 60');
    expect(endOf(lines).status).toBe('error');
    const { groups } = await server.client.history(id, { ref: 'main' });
    const [partial, error] = groups[0]?.reply ?? [];
    expect(partial).toMatchObject({ interrupted: true, isError: false });
    expect(error).toMatchObject({ isError: true });
    const thinking = partial?.contentBlocks
      .map((block) => (typeof block['thinking'] === 'string' ? block['thinking'] : ''))
      .join('');
    expect(thinking).toBe(shown(lines, 'thinking'));
    expect(endOf(await say(server.client, id, 'main', 'Once more')).status).toBe('complete');
  });

  it('EN-6: an interruption keeps the partial reply, closes the turn, and can be continued', async () => {
    const id = await project();
    const response = await server.client.chat(id, { ref: 'main', message: 'Slowly. /sim slow 20 /sim long 20000' });
    const lines: StreamLine[] = [];
    for await (const line of streamOf(response)) {
      lines.push(line);
      if (lines.length === 6) await server.client.interrupt(id, { ref: 'main' });
    }
    expect(endOf(lines)).toMatchObject({ status: 'interrupted' });
    const { groups } = await server.client.history(id, { ref: 'main' });
    expect(groups[0]).toMatchObject({ status: 'interrupted' });
    expect(groups[0]?.reply[0]).toMatchObject({ interrupted: true });
    const more = await allLines(await server.client.continueTurn(id, { ref: 'main' }));
    expect(endOf(more).status).toBe('complete');
    await expect(server.client.continueTurn(id, { ref: 'main' })).rejects.toMatchObject({
      code: 'nothing_to_continue',
      status: 409,
    });
  });

  it('EN-7: a client that disconnects does not stop the turn', async () => {
    const id = await project();
    const leave = new AbortController();
    const response = await server.client.chat(
      id,
      { ref: 'main', message: 'Go on without me. /sim slow 5' },
      leave.signal,
    );
    const reader = response.body?.getReader();
    await reader?.read();
    leave.abort();
    await expect
      .poll(async () => (await server.client.history(id, { ref: 'main' })).groups[0]?.status, { timeout: 20_000 })
      .toBe('complete');
  });

  it('EN-8: one turn runs on a branch; a second gets 409 with its id, another branch runs at once', async () => {
    const id = await project();
    const first = await server.client.chat(id, { ref: 'main', message: 'One. /sim slow 30' });
    const { branches } = await server.client.listBranches(id);
    const running = branches[0]?.runningTurnId;
    expect(running).toEqual(expect.any(String));
    await expect(server.client.chat(id, { ref: 'main', message: 'Two.' })).rejects.toMatchObject({
      status: 409,
      code: 'turn_running',
      extra: { conflicting: running },
    });
    await server.client.createBranch(id, { name: 'other', fromRef: 'main' });
    expect(endOf(await say(server.client, id, 'other', 'Meanwhile')).status).toBe('complete');
    expect(endOf(await allLines(first)).status).toBe('complete');
  });

  it('EN-9: an edit, a regeneration and a continuation that are repeated make nothing a second time', async () => {
    const id = await project();
    await say(server.client, id, 'main', 'Hello');
    const { groups } = await server.client.history(id, { ref: 'main' });
    const nodeId = groups[0]?.user?.id ?? '';
    const edit = { nodeId, content: 'Hello again', clientRequestId: 'e1' };
    const first = await allLines(await server.client.edit(id, edit));
    const second = await allLines(await server.client.edit(id, edit));
    expect(second[0]).toMatchObject({ turnId: first[0]?.type === 'turn' ? first[0].turnId : null });
    const again = { ref: 'main', n: 2, clientRequestId: 'g1' };
    const { turns } = await server.client.regenerate(id, again);
    await Promise.all(turns.map(async ({ turnId }) => allLines(await server.client.turnStream(id, turnId, 0))));
    expect((await server.client.regenerate(id, again)).turns).toEqual(turns);
    expect((await server.client.listBranches(id)).branches).toHaveLength(3);
    await say(server.client, id, 'main', 'Break. /sim long 4000 /sim fault cut 60');
    const carryOn = { ref: 'main', clientRequestId: 'c1' };
    const once = await allLines(await server.client.continueTurn(id, carryOn));
    expect((await allLines(await server.client.continueTurn(id, carryOn)))[0]).toMatchObject({
      turnId: once[0]?.type === 'turn' ? once[0].turnId : null,
    });
  });

  it('EN-9: an edit and a regeneration that come several times at once make one branch', async () => {
    const id = await project();
    await say(server.client, id, 'main', 'Hello');
    const { groups } = await server.client.history(id, { ref: 'main' });
    const edit = { nodeId: groups[0]?.user?.id ?? '', content: 'Hello again', clientRequestId: 'e1' };
    const edits = await Promise.all([1, 2, 3, 4].map(async () => allLines(await server.client.edit(id, edit))));
    expect(new Set(edits.map(([first]) => JSON.stringify(first))).size).toBe(1);
    const again = { ref: 'main', n: 2, clientRequestId: 'g1' };
    const made = await Promise.all([1, 2, 3].map(() => server.client.regenerate(id, again)));
    expect(new Set(made.map(({ turns }) => JSON.stringify(turns))).size).toBe(1);
    await Promise.all(
      made.flatMap(({ turns }) =>
        turns.map(async ({ turnId }) => allLines(await server.client.turnStream(id, turnId, 0))),
      ),
    );
    expect((await server.client.listBranches(id)).branches).toHaveLength(3);
  });

  it('EN-44: a project that is deleted while it is being answered ends its streams in words', async () => {
    const id = await project();
    const response = await server.client.chat(id, { ref: 'main', message: 'Long. /sim long 40000 /sim slow 20' });
    const turn = (await server.client.listBranches(id)).branches[0]?.runningTurnId ?? '';
    const other = server.client.turnStream(id, turn, 0).then(allLines);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await server.client.deleteProject(id);
    const last = (await allLines(response)).at(-1);
    expect(last).toMatchObject({ type: 'error', code: 'deleted', message: 'This conversation was deleted.' });
    expect((await other).at(-1)).toMatchObject({ type: 'error', code: 'deleted' });
    await expect(server.client.turnStream(id, turn, 0)).rejects.toMatchObject({ status: 404 });
  });

  it('EN-42: edits that come at once each get a branch of their own', async () => {
    const id = await project();
    await say(server.client, id, 'main', 'Hello');
    const { groups } = await server.client.history(id, { ref: 'main' });
    const edit = { nodeId: groups[0]?.user?.id ?? '', content: 'Hello again' };
    const edits = await Promise.all([1, 2, 3, 4].map(async () => allLines(await server.client.edit(id, edit))));
    expect(edits.map((lines) => endOf(lines).status)).toEqual(['complete', 'complete', 'complete', 'complete']);
    const names = (await server.client.listBranches(id)).branches.map(({ name }) => name).sort();
    expect(names).toEqual(['Hello again', 'Hello again 2', 'Hello again 3', 'Hello again 4', 'main']);
  });

  it('EN-42: a turn that is refused leaves no branch', async () => {
    const id = await project();
    await say(server.client, id, 'main', 'Hello');
    const { groups } = await server.client.history(id, { ref: 'main' });
    const nodeId = groups[0]?.user?.id ?? '';
    const elsewhere = { llmProvider: 'openai' };
    await expect(server.client.edit(id, { nodeId, content: 'Why?', ...elsewhere })).rejects.toMatchObject({
      code: 'provider_not_ready',
    });
    await expect(server.client.regenerate(id, { ref: 'main', ...elsewhere })).rejects.toMatchObject({
      code: 'provider_not_ready',
    });
    expect((await server.client.listBranches(id)).branches).toHaveLength(1);
  });

  it('EN-9: the same clientRequestId starts one turn', async () => {
    const id = await project();
    const once = await say(server.client, id, 'main', 'Hello', { clientRequestId: 'r1' });
    const twice = await say(server.client, id, 'main', 'Hello', { clientRequestId: 'r1' });
    expect(endOf(twice).nodeIds).toEqual(endOf(once).nodeIds);
    expect((await server.client.history(id, { ref: 'main' })).groups).toHaveLength(1);
  });

  it('EN-10: several watchers see the same lines, whenever they come', async () => {
    const id = await project();
    const response = await server.client.chat(id, { ref: 'main', message: 'For all. /sim slow 10' });
    const turn = (await server.client.listBranches(id)).branches[0]?.runningTurnId ?? '';
    const second = server.client.turnStream(id, turn, 0).then(allLines);
    const late = server.client.turnStream(id, turn, 4).then(allLines);
    const lines = await allLines(response);
    expect(await second).toEqual(lines);
    expect(await late).toEqual(lines.filter((line) => line.seq > 4));
    // Long after the end, and from the beginning: the whole reply, as it is stored.
    const after = await allLines(await server.client.turnStream(id, turn, 0));
    expect(shown(after, 'text')).toBe(shown(lines, 'text'));
  });

  it.each([
    ['a reply', 'Hello'],
    ['tools in several steps', '/sim tools calculator x2 steps 2'],
    ['a failure', 'Hello /sim fault 500 x9'],
    ['a cut', 'Tell me. /sim long 4000 /sim fault cut 60'],
  ])('EN-10: who was there tells the end that is stored: %s', async (_, message) => {
    const id = await project({ tools: ['calculator'] });
    const lines = await say(server.client, id, 'main', message);
    const turn = lines.find((line) => line.type === 'turn')?.turnId ?? '';
    // A client that connects now is served from what is stored.
    const after = await allLines(await server.client.turnStream(id, turn, 0));
    expect(endOf(lines)).toEqual({ ...endOf(after), seq: lines.length });
    expect(endOf(lines).nodeIds.length).toBeGreaterThan(1);
  });

  it('EN-11: hidden, redacted and summarised reasoning is told apart', async () => {
    const id = await project();
    await say(server.client, id, 'main', '/sim redacted 1 /sim think 1');
    const { groups } = await server.client.history(id, { ref: 'main' });
    expect(groups[0]?.reply[0]?.thinking?.availability).toBe('partial');
  });
});

describe('branches over HTTP', () => {
  it('EN-12: an edit makes a new branch from the parent, and the original stays', async () => {
    const id = await project();
    await say(server.client, id, 'main', 'First question');
    await say(server.client, id, 'main', 'Second question');
    const before = await server.client.history(id, { ref: 'main' });
    const user = before.groups[1]?.user;
    const lines = await allLines(
      await server.client.edit(id, { nodeId: user?.id ?? '', content: 'Other question', branchName: 'other' }),
    );
    expect(endOf(lines).status).toBe('complete');
    const edited = await server.client.history(id, { ref: 'other' });
    expect(edited.groups.map((group) => group.user?.content)).toEqual(['First question', 'Other question']);
    expect(edited.groups[1]?.user?.siblingIds).toHaveLength(2);
    expect((await server.client.history(id, { ref: 'main' })).groups.map((group) => group.user?.id)).toEqual(
      before.groups.map((group) => group.user?.id),
    );
  });

  it('EN-13: regenerating makes siblings: the first takes the branch along, every other gets a branch of its own', async () => {
    const id = await project();
    await say(server.client, id, 'main', 'Again and again');
    const { turns } = await server.client.regenerate(id, { ref: 'main', n: 3 });
    expect(turns.map((turn) => turn.branch)).toEqual(['main', 'main again', 'main again 2']);
    for (const { turnId } of turns)
      expect(endOf(await allLines(await server.client.turnStream(id, turnId, 0))).status).toBe('complete');
    const { groups } = await server.client.history(id, { ref: 'main' });
    expect(groups).toHaveLength(1);
    expect(groups[0]?.reply[0]?.siblingIds).toHaveLength(4);
  });

  it('EN-116: every reply that is being made to a message is stopped at once, and nothing else', async () => {
    const id = await project();
    await say(server.client, id, 'main', '/sim slow 100 /sim say one two three four five six');
    const user = (await server.client.history(id, { ref: 'main' })).groups[0]?.user?.id ?? '';
    const elsewhere = await server.client.createBranch(id, { name: 'elsewhere', fromRef: 'main' });
    const other = await server.client.chat(id, { ref: 'elsewhere', message: '/sim slow 100 /sim long 1000' });
    const { turns } = await server.client.regenerate(id, { ref: 'main', n: 3 });
    const { turnIds } = await server.client.interrupt(id, { answering: user });
    expect([...turnIds].sort()).toEqual(turns.map(({ turnId }) => turnId).sort());
    for (const { turnId } of turns)
      expect(endOf(await allLines(await server.client.turnStream(id, turnId, 0))).status).toBe('interrupted');
    const { branches } = await server.client.listBranches(id);
    expect(branches.find((branch) => branch.id === elsewhere.branch.id)?.runningTurnId).not.toBeNull();
    await expect(server.client.interrupt(id, { answering: user })).rejects.toMatchObject({ code: 'no_running_turn' });
    await server.client.interrupt(id, { ref: 'elsewhere' });
    await other.text();
  });

  it('EN-117: switching reasoning on says what that does on a branch, also where it does nothing', async () => {
    const id = await project({ provider: 'simulated', thinking: 'medium' });
    await say(server.client, id, 'main', 'Think about it');
    const reply = (await server.client.history(id, { ref: 'main' })).groups[0]?.reply[0]?.id ?? '';
    await server.client.createBranch(id, { name: 'gemini', fromRef: 'main', provider: 'simulated_gemini' });
    const reasoning = async (ref: string) =>
      (await server.client.contextReport(id, { ref })).report.find(({ nodeId }) => nodeId === reply)?.reasoning;
    expect([await reasoning('main'), await reasoning('gemini')]).toEqual(['goes_back', 'left_out']);
    const warning = async (ref?: string) => (await server.client.setThinking(id, reply, true, ref)).warning;
    expect(await warning('main')).toMatch(/^Nothing changes on the branch "main": .* as it was made\./);
    expect(await warning('gemini')).toMatch(/^Its reasoning will be sent to the model as plain text/);
    expect(await warning()).toContain('This concerns only branches whose model does not get this reasoning back');
    expect(await reasoning('gemini')).toBe('as_text');
    expect(await reasoning('main')).toBe('goes_back');
    await expect(server.client.setThinking(id, reply, false, 'nowhere')).rejects.toMatchObject({ status: 404 });
    expect(await reasoning('gemini')).toBe('as_text');
  });

  it('EN-14: a reply in the middle is made again on a branch of its own', async () => {
    const id = await project();
    await say(server.client, id, 'main', 'One');
    const first = (await server.client.history(id, { ref: 'main' })).groups[0]?.reply[0];
    await say(server.client, id, 'main', 'Two');
    const { turns } = await server.client.regenerate(id, { ref: 'main', nodeId: first?.id ?? '' });
    await allLines(await server.client.turnStream(id, turns[0]?.turnId ?? '', 0));
    expect(turns[0]?.branch).not.toBe('main');
    expect((await server.client.history(id, { ref: 'main' })).groups).toHaveLength(2);
  });

  it('EN-15: a branch is locked: another model is refused with the way out', async () => {
    const id = await project();
    await expect(
      server.client.chat(id, { ref: 'main', message: 'x', llmProvider: 'simulated_gemini' }),
    ).rejects.toMatchObject({
      status: 409,
      code: 'branch_locked',
      message: expect.stringContaining('create a branch'),
    });
  });

  it('EN-16: a conversation goes to every other provider and back, and nobody says no', async () => {
    const id = await project({ tools: ['calculator'] });
    await say(server.client, id, 'main', '/sim tools calculator /sim think 2');
    let from = 'main';
    for (const provider of [...PROVIDERS.slice(1), 'simulated']) {
      const name = `to ${provider}`;
      await server.client.createBranch(id, { name, fromRef: from, provider });
      const lines = await say(server.client, id, name, 'Go on. /sim tools calculator');
      expect(endOf(lines), JSON.stringify(lines.filter((line) => line.type === 'error'))).toMatchObject({
        status: 'complete',
      });
      expect(endOf(await say(server.client, id, name, 'And on')).status).toBe('complete');
      from = name;
    }
    const { rejections } = await server.client.diagnostics();
    expect(rejections).toBe(0);
  });

  it('EN-17: the preview is the request that is sent, and the prefix is stable', async () => {
    const id = await project({ tools: ['calculator'] });
    await say(server.client, id, 'main', 'One /sim tools calculator');
    const before = await server.client.context(id, { ref: 'main', message: 'Two' });
    await say(server.client, id, 'main', 'Two');
    const after = await server.client.context(id, { ref: 'main', message: 'Three' });
    expect(after.previousBody).toBe(before.request.body);
    const messages = (body: string): readonly unknown[] => (JSON.parse(body) as { messages: unknown[] }).messages;
    expect(messages(after.request.body).slice(0, messages(before.request.body).length)).toEqual(
      messages(before.request.body),
    );
    expect(JSON.stringify(after.request)).not.toMatch(/authorization|api-key/i);
  });

  it('EN-32: the report of a request is what its preview reports, without the request', async () => {
    const id = await project({ tools: ['calculator'] });
    await say(server.client, id, 'main', '/sim think 1 /sim tools calculator');
    for (const query of [{ ref: 'main' }, { ref: 'main', target: { provider: 'simulated_gemini' } }]) {
      const { request: _, previousBody: __, standsFor: ___, ...told } = await server.client.context(id, query);
      expect(told.report.length).toBeGreaterThan(3);
      expect(await server.client.contextReport(id, query)).toEqual(told);
    }
  });

  it('EN-18: a switch preview tells what survives, becomes text or vanishes', async () => {
    const id = await project({ tools: ['calculator'] });
    await say(server.client, id, 'main', '/sim think 1 /sim tools calculator');
    const preview = await server.client.context(id, { ref: 'main', target: { provider: 'simulated_gemini' } });
    expect(preview.provider).toBe('simulated_gemini');
    expect(preview.breakNodeId).not.toBeNull();
    const reasons = new Set(preview.report.flatMap((line) => line.reasons));
    expect(reasons).toContain('model_break');
    expect(reasons).toContain('thinking_not_replayable');
    expect(reasons).toContain('tool_use_as_text');
  });
});

async function* streamOf(response: Response): AsyncGenerator<StreamLine> {
  const { readLines } = await import('@bough/api');
  if (response.body === null) return;
  for await (const line of readLines(response.body)) if (line.type !== 'heartbeat') yield line;
}
