import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recorder } from './testing/recorder.ts';
import { startRecorder } from './testing/recorder.ts';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, say, startTestServer } from './testing/start.ts';

let simulator: Simulator;
let recorder: Recorder;
let server: TestServer;
beforeEach(async () => {
  simulator = await startSimulator();
  recorder = await startRecorder(simulator.url);
});
afterEach(async () => {
  await server.dispose();
  await recorder.close();
  await simulator.close();
});

const start = async (store = 'files', file: object = {}): Promise<TestServer> =>
  (server = await startTestServer(
    { BOUGH_STORE: store, OPENAI_API_KEY: 'sk-test-key', ANTHROPIC_API_KEY: 'sk-test-key' },
    {
      ...file,
      providers: { openai_responses: { baseUrl: `${recorder.url}/v1` }, anthropic: { baseUrl: recorder.url } },
    },
  ));
const asked = (): readonly number[] =>
  recorder.bodies().map((body) => (JSON.parse(body) as { max_output_tokens: number }).max_output_tokens);
const capOf = async (model: string): Promise<number> => {
  const { providers } = await server.client.listProviders();
  return (
    providers.find(({ id }) => id === 'openai_responses')?.models.find(({ id }) => id === model)?.maxOutputTokens ?? 0
  );
};
const problems = (): readonly string[] => server.logged().filter((line) => line.includes('"problem"'));

describe('how long a reply may be', () => {
  it.each(['files', 'git', 'postgres'])(
    'EN-52: a setting of the branch and of the single request, on %s',
    async (store) => {
      const { client } = await start(store);
      const { project, branch } = await client.createProject({ provider: 'openai_responses', maxTokens: 4000 });
      expect(branch).toMatchObject({ maxTokens: 4000, failEarly: false });
      const cap = await capOf(branch.model);
      await say(client, project.id, 'main', 'One');
      await say(client, project.id, 'main', 'Two', { maxTokens: 3000 });
      // Only that request: the branch keeps its own.
      await say(client, project.id, 'main', 'Three');
      const fork = (await client.createBranch(project.id, { fromRef: 'main', failEarly: true })).branch;
      expect(fork).toMatchObject({ maxTokens: 4000, failEarly: true });
      await say(client, project.id, fork.id, 'Four');
      await client.updateBranch(project.id, 'main', { maxTokens: 2000 });
      const again = await server.restart();
      expect((await again.client.listBranches(project.id)).branches).toMatchObject([
        { name: 'main', maxTokens: 2000, failEarly: false },
        { maxTokens: 4000, failEarly: true },
      ]);
      await say(again.client, project.id, 'main', 'Five');
      expect((await again.client.updateBranch(project.id, 'main', { maxTokens: null })).branch.maxTokens).toBeNull();
      await say(again.client, project.id, 'main', 'Six');
      expect(asked()).toEqual([4000, 3000, 4000, 4000, 2000, cap]);
      server = again;
    },
  );

  it('EN-52: more than the model gives is lowered to what it gives; the preview shows the same', async () => {
    const { client } = await start();
    const { project, branch } = await client.createProject({ provider: 'openai_responses', maxTokens: 50_000_000 });
    const cap = await capOf(branch.model);
    expect((await client.context(project.id, { ref: 'main', message: 'One' })).maxTokens).toBe(cap);
    const target = { maxTokens: 77 };
    expect((await client.context(project.id, { ref: 'main', message: 'One', target })).maxTokens).toBe(77);
    expect(endOf(await say(client, project.id, 'main', 'One')).status).toBe('complete');
    expect(asked()).toEqual([cap]);
  });

  it('EN-53: with failEarly it is refused before anything is stored or sent, with a sentence', async () => {
    const { client } = await start();
    const { project, branch } = await client.createProject({ provider: 'openai_responses' });
    const cap = await capOf(branch.model);
    const refusal = { status: 422, code: 'max_tokens_too_high', message: expect.stringContaining(`at most ${cap}`) };
    const message = { ref: 'main', message: 'One', maxTokens: cap + 1 };
    await expect(client.chat(project.id, { ...message, failEarly: true })).rejects.toMatchObject(refusal);
    const target = { maxTokens: cap + 1, failEarly: true };
    await expect(client.context(project.id, { ref: 'main', target })).rejects.toMatchObject(refusal);
    expect((await client.graph(project.id)).nodes).toEqual([]);
    expect(recorder.bodies()).toEqual([]);
    expect(problems()).toEqual([]);
    expect(endOf(await say(client, project.id, 'main', 'One', { maxTokens: cap, failEarly: true })).status).toBe(
      'complete',
    );
  });

  it('EN-53: where the conversation leaves too little room, the turn says so, and nobody is alerted', async () => {
    const { client } = await start();
    const { providers } = await client.listProviders();
    // A model that may fill more than the quarter of its window that is kept free.
    const model = providers
      .find(({ id }) => id === 'anthropic')
      ?.models.find(({ maxOutputTokens, contextWindow }) => maxOutputTokens > contextWindow / 4);
    const { contextWindow = 0, maxOutputTokens: cap = 0, id = '' } = model ?? {};
    const { project } = await client.createProject({ provider: 'anthropic', model: id });
    const preview = (message: string) => client.context(project.id, { ref: 'main', message });
    const perLetter = (await preview('字'.repeat(10_000))).estimatedTokens / 10_000;
    const message = '字'.repeat(Math.floor((contextWindow * 0.72) / perLetter));
    expect((await preview(message)).maxTokens).toBeLessThan(cap);
    const lines = await say(client, project.id, 'main', message, { maxTokens: cap, failEarly: true });
    expect(lines.find((line) => line.type === 'error')).toMatchObject({
      code: 'max_tokens_too_high',
      message: expect.stringContaining('the conversation leaves about'),
      retryable: false,
    });
    expect(endOf(lines).status).toBe('error');
    expect(recorder.bodies()).toEqual([]);
    expect(problems()).toEqual([]);
  });

  it('EN-55: what is sent of a long conversation does not depend on it', async () => {
    const { client } = await start();
    const { providers } = await client.listProviders();
    const model = providers
      .find(({ id }) => id === 'anthropic')
      ?.models.find(({ contextWindow }) => contextWindow <= 200_000);
    const { project } = await client.createProject({ provider: 'anthropic', model: model?.id ?? '' });
    const messages = Array.from({ length: 60 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `${index} ${'字'.repeat(6000)}`,
    }));
    await client.appendMessages(project.id, { messages, ref: 'main' });
    const sent = async (maxTokens?: number): Promise<unknown> => {
      const target = maxTokens === undefined ? {} : { maxTokens };
      const { request, report } = await client.context(project.id, { ref: 'main', message: 'And?', target });
      expect(report.some(({ reasons }) => reasons.includes('trimmed'))).toBe(true);
      return (JSON.parse(request.body) as { messages: unknown }).messages;
    };
    const whole = await sent();
    for (const maxTokens of [1, 3000, 50_000_000]) expect(await sent(maxTokens)).toEqual(whole);
  });

  it('EN-54: a message that is too long is an error of its turn, and no problem of the server', async () => {
    const { client } = await start('files', { providers: {} });
    const { project } = await client.createProject({ provider: 'simulated', model: 'sim-thinker' });
    const { contextWindow } = await client.context(project.id, { ref: 'main', message: 'x' });
    const lines = await say(client, project.id, 'main', '字'.repeat(Math.min(990_000, contextWindow * 2)));
    expect(lines.find((line) => line.type === 'error')).toMatchObject({ code: 'context_too_long' });
    expect(problems()).toEqual([]);
    expect(await (await fetch(`${server.url}/api/metrics`)).text()).not.toMatch(/bough_problems_total\{[^}]*\} [1-9]/);
  });

  it('EN-52: a turn that waited for an approval goes on with what was asked of it, after a restart too', async () => {
    const { client } = await start('files', { tools: { approval: { calculator: 'ask' } } });
    const { project } = await client.createProject({ provider: 'openai_responses', tools: ['calculator'] });
    const response = await client.chat(project.id, { ref: 'main', message: '/sim tools calculator', maxTokens: 3000 });
    const reader = allLines(response).catch(() => []);
    const waiting = async () => (await client.getProject(project.id)).branches[0]?.runningTurnId ?? null;
    await expect.poll(async () => (await client.graph(project.id)).nodes.length, { timeout: 10_000 }).toBe(2);
    const turnId = (await waiting()) ?? '';
    const again = await server.restart();
    server = again;
    await reader;
    const { nodes } = await again.client.getPath((await again.client.getProject(project.id)).branches[0]?.tipId ?? '');
    const call = nodes.at(-1)?.contentBlocks.find(({ type }) => type === 'tool-use') as { id: string } | undefined;
    await again.client.approve(project.id, { turnId, toolCallId: call?.id ?? '', approve: true });
    const lines = await allLines(await again.client.turnStream(project.id, turnId, 0));
    expect(endOf(lines).status).toBe('complete');
    expect(asked()).toEqual([3000, 3000]);
  });
});
