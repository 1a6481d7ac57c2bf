import type { Client, RoundTableView } from '@bough/api';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { STORES, useServers } from './testing/on-each-store.ts';
import { spawnServer } from './testing/process.ts';
import type { TestServer } from './testing/start.ts';
import { say, startTestServer } from './testing/start.ts';

const serverOn = useServers();
const THINKER = { provider: 'simulated', model: 'sim-thinker' };
const SONNET = { provider: 'anthropic', model: 'claude-sonnet-5', thinking: 'off' as const };

const asked = (count: number, words = 'Say something.') => ({
  questions: Array.from({ length: count }, (_, at) => ({ text: `${words} ${at + 1}` })),
});

async function until(client: Client, round: string, state: string): Promise<RoundTableView> {
  await expect
    .poll(async () => (await client.getRound(round)).round, { timeout: 30_000, interval: 50 })
    .toMatchObject({ state, running: 0 });
  return client.getRound(round);
}

describe.each(STORES)('on %s', (store) => {
  it('SV-800: a set is made from a branch, asked of two models twice, shown as a table, and removed', async () => {
    const { client } = serverOn(store);
    const { project } = await client.createProject({ ...THINKER, systemPrompt: 'Be brief.' });
    await say(client, project.id, 'main', '/sim say Green.');
    await say(client, project.id, 'main', '/sim say Blue.');
    const name = `Colours ${store}`;
    const { set } = await client.createQuestionSet({ name, from: { projectId: project.id, ref: 'main' } });
    expect(set).toMatchObject({ systemPrompt: 'Be brief.', count: 2, questions: [{ id: '1' }, { id: '2' }] });
    const targets = [THINKER, { provider: 'simulated_chat', model: 'sim-thinker' }];
    const { targets: prices } = await client.estimateRound(name, { targets, samples: 2 });
    expect(prices).toMatchObject([{ answers: 4, mostCost: 0, refused: null }, { answers: 4 }]);
    const start = { targets, samples: 2, limit: 1, clientRequestId: 'once' };
    const { round } = await client.startRound(set.id, start);
    expect((await client.startRound(set.id, start)).round.id).toBe(round.id);
    const table = await until(client, round.id, 'finished');
    expect(table.round).toMatchObject({ complete: 8, failed: 0, answers: 8, because: null });
    expect(table.rows.map(({ answers }) => answers.map(({ text }) => text))).toEqual([
      ['Green.', 'Green.', 'Green.', 'Green.'],
      ['Blue.', 'Blue.', 'Blue.', 'Blue.'],
    ]);
    expect(table.sums.map(({ label }) => label)).toEqual(['simulated sim-thinker', 'simulated_chat sim-thinker']);
    const { branches } = await client.listBranches(round.projectId);
    expect(branches.map(({ name: branch }) => branch)).toContain('2. simulated_chat sim-thinker, sample 2');
    const { groups } = await client.history(round.projectId, { ref: table.rows[1]?.answers[0]?.branch ?? '' });
    expect(groups).toHaveLength(1);
    expect((await client.listQuestionSets()).sets.find(({ id }) => id === set.id)?.rounds).toMatchObject([
      { id: round.id, state: 'finished', complete: 8 },
    ]);
    // SV-780: another name, other questions; what was asked stays beside its answers.
    const { set: changed } = await client.updateQuestionSet(set.id, { name: `${name} again`, from: asked(1) });
    expect(changed).toMatchObject({ name: `${name} again`, systemPrompt: 'Be brief.', count: 1, rounds: [{}] });
    const { set: before, rows } = await client.getRound(round.id, { characters: 3 });
    expect(before).toMatchObject({ name: `${name} again`, count: 2 });
    expect(rows.map(({ question }) => question.text)).toEqual(['/sim say Green.', '/sim say Blue.']);
    expect(rows[0]?.answers[0]?.text).toBe('Gre');
    await client.deleteQuestionSet(set.id);
    await expect(client.getRound(round.id)).rejects.toMatchObject({ status: 404 });
    expect((await client.listBranches(round.projectId)).branches).toHaveLength(9);
  });
});

describe('rounds', () => {
  let simulator: Simulator;
  let server: TestServer;
  const env = () => ({ ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: 'sk-ant-simulated' });
  const requests = (): number => simulator.log().filter(({ path }) => path.endsWith('/messages')).length;
  beforeAll(async () => {
    simulator = await startSimulator({ seed: 'rounds', paceMs: 3 });
    server = await startTestServer({
      ...env(),
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      OPENAI_API_KEY: 'sk-simulated',
    });
  });
  afterAll(async () => {
    await server.dispose();
    await simulator.close();
  });

  it('SV-801: after kill -9 the next server goes on, and nothing is asked twice', { timeout: 60_000 }, async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'bough-rounds-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const start = () => spawnServer({ BOUGH_DATA_DIR: dataDir, BOUGH_STORE: 'files', ...env() });
    const one = await start();
    const { set } = await one.client.createQuestionSet({ name: 'Long', from: asked(14) });
    const before = requests();
    const { round } = await one.client.startRound(set.id, { targets: [SONNET], limit: 5, atOnce: 2 });
    await expect.poll(() => requests() - before, { timeout: 15_000, interval: 5 }).toBeGreaterThan(4);
    await one.kill();
    const killedAfter = requests() - before;
    expect(killedAfter).toBeLessThan(14);
    const two = await start();
    onTestFinished(async () => {
      await two.terminate();
    });
    const table = await until(two.client, round.id, 'finished');
    expect(requests() - before).toBe(14);
    expect(table.round.complete + table.round.failed).toBe(14);
    expect(table.round.failed).toBeLessThanOrEqual(2);
    // Only what was under way when the server died is missing, and is asked again if somebody wants it.
    if (table.round.failed > 0) await two.client.updateRound(round.id, { again: true });
    const whole = await until(two.client, round.id, 'finished');
    expect(whole.round).toMatchObject({ complete: 14, failed: 0 });
    expect(requests() - before).toBe(14 + table.round.failed);
  });

  it('SV-802: with a limit on answers the limit on money is never exceeded; a higher one lets it go on', async () => {
    const { client } = server;
    const { set } = await client.createQuestionSet({ name: 'Dear', from: asked(6, '/sim long 4000') });
    const wish = { targets: [SONNET], maxTokens: 1_100 };
    const most = (await client.estimateRound(set.id, wish)).targets[0]?.mostCost ?? 0;
    const limit = (most / 6) * 2.5;
    const { round } = await client.startRound(set.id, { ...wish, limit });
    const { round: paused, rows } = await until(client, round.id, 'paused');
    expect(paused.because).toMatchObject({ code: 'limit_reached' });
    expect(paused.spent).toBeGreaterThan(0);
    expect(paused.spent).toBeLessThanOrEqual(limit);
    expect(paused.complete).toBeLessThan(6);
    expect(rows.at(-1)?.answers[0]).toMatchObject({ status: 'pending', cost: null });
    await expect(client.updateRound(round.id, { state: 'running', limit: paused.spent / 2 })).rejects.toMatchObject({
      code: 'limit_too_low',
    });
    await client.updateRound(round.id, { state: 'running', limit: most * 2 });
    const { round: whole, sums } = await until(client, round.id, 'finished');
    expect(whole).toMatchObject({ complete: 6, because: null });
    const { rows: costs } = await client.costs({ project: round.projectId });
    expect(sums[0]?.cost).toBeCloseTo(costs[0]?.cost ?? 0, 9);
  });

  it('SV-803: a model that fails is told in its column, and the others go on', async () => {
    const { client } = server;
    const { set } = await client.createQuestionSet({ name: 'Mixed', from: asked(2) });
    const dead = { provider: 'openai', model: 'gpt-5.4' };
    const { round } = await client.startRound(set.id, { targets: [dead, THINKER], limit: 1 });
    const { sums, rows } = await until(client, round.id, 'finished');
    expect(sums).toMatchObject([
      { complete: 0, failed: 2 },
      { complete: 2, failed: 0 },
    ]);
    expect(rows[0]?.answers[0]).toMatchObject({ status: 'failed', text: '' });
    expect(rows[0]?.answers[0]?.error?.detail).not.toBe('');
    const refused = { targets: [{ provider: 'simulated', model: 'none' }, { preset: 'gone' }, THINKER] };
    const { targets } = await client.estimateRound(set.id, refused);
    expect(targets.map((each) => each.refused?.code)).toEqual(['unknown_model', 'unknown_id', undefined]);
    await expect(client.startRound(set.id, { ...refused, limit: 1 })).rejects.toMatchObject({ code: 'unknown_model' });
  });

  it('SV-804: a pause lets answers end and a cancellation stops them; what is over stays over', async () => {
    const { client } = server;
    const { set } = await client.createQuestionSet({ name: 'Slow', from: asked(8, '/sim slow 5 /sim long 3000') });
    const { round } = await client.startRound(set.id, { targets: [THINKER], limit: 1, atOnce: 2 });
    await expect.poll(async () => (await client.getRound(round.id)).round.running).toBe(2);
    await expect(client.deleteRound(round.id)).rejects.toMatchObject({ code: 'round_busy' });
    await expect(client.deleteQuestionSet(set.id)).rejects.toMatchObject({ code: 'round_busy' });
    await client.updateRound(round.id, { state: 'paused' });
    const { round: paused } = await until(client, round.id, 'paused');
    expect(paused).toMatchObject({ complete: 2, failed: 0 });
    await client.updateRound(round.id, { state: 'running' });
    await expect.poll(async () => (await client.getRound(round.id)).round.running).toBe(2);
    await client.updateRound(round.id, { state: 'cancelled' });
    const { round: over } = await until(client, round.id, 'cancelled');
    expect(over.complete + over.failed).toBeLessThan(8);
    await expect(client.updateRound(round.id, { state: 'running' })).rejects.toMatchObject({ code: 'round_over' });
    await expect.poll(() => client.deleteRound(round.id).then(() => 'gone')).toBe('gone');
  });

  it('SV-780: a set is renamed and gets other questions; a round asks what the set said when it began', async () => {
    const { client } = server;
    const { set } = await client.createQuestionSet({ name: 'Before', from: asked(4, '/sim slow 5 /sim long 300') });
    const { round } = await client.startRound(set.id, { targets: [THINKER], limit: 1, atOnce: 1 });
    const from = { questions: [{ id: 'only', text: '/sim say Other.', expected: 'Other.' }] };
    const { set: after } = await client.updateQuestionSet('Before', { name: 'After', systemPrompt: 'Be kind.', from });
    expect(after).toMatchObject({ id: set.id, name: 'After', systemPrompt: 'Be kind.', count: 1 });
    const { rows, round: over } = await until(client, round.id, 'finished');
    expect(over).toMatchObject({ answers: 4, complete: 4 });
    expect(rows.map(({ question }) => question.text.endsWith('4'))).toEqual([false, false, false, true]);
    const { round: next } = await client.startRound(set.id, { targets: [THINKER], limit: 1 });
    expect((await until(client, next.id, 'finished')).rows).toMatchObject([
      { question: from.questions[0], answers: [{ text: 'Other.' }] },
    ]);
    const { set: other } = await client.createQuestionSet({ name: 'Before', from: asked(1) });
    await expect(client.updateQuestionSet(other.id, { name: 'After' })).rejects.toMatchObject({ code: 'name_taken' });
    await expect(client.updateQuestionSet('gone', { name: 'x' })).rejects.toMatchObject({ code: 'unknown_id' });
    await expect(client.updateQuestionSet(other.id, { from: { file: '{' } })).rejects.toMatchObject({
      code: 'invalid_questions',
    });
  });

  it('SV-781: the answers of a round are a table for other programs, one in a line', async () => {
    const { client } = server;
    const from = { questions: [{ text: '/sim say "a", b', expected: '=1+1' }, ...asked(60, '/sim say').questions] };
    const { set } = await client.createQuestionSet({ name: 'Table', from });
    const { round } = await client.startRound(set.id, { targets: [THINKER], limit: 1, atOnce: 16 });
    await until(client, round.id, 'finished');
    const lines = (await client.roundCsv(round.id)).split('\r\n');
    expect(lines).toHaveLength(63);
    expect(lines[0]).toMatch(/^questionId,question,expected,target,provider,model,sample,status,answer,cost,/);
    expect(lines[1]).toMatch(
      /^1,"\/sim say ""a"", b",'=1\+1,sim-thinker,simulated,sim-thinker,1,complete,"""a"", b",[\d.e-]+,\d+,\d+,,1\. sim-thinker$/,
    );
    expect(lines[61]).toMatch(/^61,\/sim say 60,,/);
    await expect(client.roundCsv('gone')).rejects.toMatchObject({ status: 404 });
  });

  it('SV-806: of a branch, the questions are what somebody said there: neither merges nor versions of the canvas', async () => {
    const { client } = server;
    const { project } = await client.createProject(THINKER);
    await say(client, project.id, 'main', '/sim say Oak.');
    await client.createBranch(project.id, { name: 'elms', fromRef: 'main' });
    await say(client, project.id, 'elms', '/sim say Elm.');
    await client.merge(project.id, { from: 'elms', into: 'main', by: 'answer' });
    await client.writeCanvas(project.id, { ref: 'main', text: '# Trees', inContext: true, expected: null });
    const from = { projectId: project.id, ref: 'main' };
    const { set } = await client.createQuestionSet({ name: 'What was said', from });
    expect(set.questions.map(({ text }) => text)).toEqual(['/sim say Oak.']);
  });

  it('SV-805: what cannot be used is refused with what to do', async () => {
    const { client } = server;
    const make = (from: Parameters<Client['createQuestionSet']>[0]['from'], name = 'Wrong') =>
      client.createQuestionSet({ name, from });
    await expect(make({ file: '{"question":"a"}\n{' })).rejects.toMatchObject({
      status: 422,
      code: 'invalid_questions',
      message: expect.stringContaining('line 2: this is not JSON') as string,
    });
    await make({ file: 'One?\nTwo?' }, 'Plain');
    await expect(make({ file: 'x' }, 'Plain')).rejects.toMatchObject({ code: 'name_taken' });
    const many = { targets: [THINKER], limit: 1, samples: 20 };
    const { set } = await make(asked(200), 'Many');
    await expect(client.startRound(set.id, many)).rejects.toMatchObject({ code: 'invalid_content' });
    const unknown = { targets: [{ provider: 'anthropic', model: 'claude-fable-5-2' }], limit: 1 };
    await expect(client.startRound('Plain', unknown)).rejects.toMatchObject({ code: 'price_unknown' });
  });
});
