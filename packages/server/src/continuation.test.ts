import { startSimulator } from '@bough/simulator';
import { expect, it } from 'vitest';
import { allLines, endOf, say, startTestServer } from './testing/start.ts';
import { startRecorder } from './testing/recorder.ts';

it('EN-30: where responses are stored, a request continues the last one; a forgotten one is answered with the full context, and a fork starts anew', async () => {
  let simulator = await startSimulator();
  const port = Number(new URL(simulator.url).port);
  const server = await startTestServer(
    { OPENAI_API_KEY: 'sk-test-key' },
    { providers: { openai_responses: { baseUrl: `${simulator.url}/v1`, quirks: { storeResponses: true } } } },
  );
  try {
    const { client } = server;
    const { project } = await client.createProject({ provider: 'openai_responses', tools: ['calculator'] });
    expect(endOf(await say(client, project.id, 'main', 'One /sim tools calculator')).status).toBe('complete');
    expect(endOf(await say(client, project.id, 'main', 'Two')).status).toBe('complete');
    const forked = await client.createBranch(project.id, { name: 'fork', fromRef: 'main' });
    expect(endOf(await say(client, project.id, forked.branch.name, 'Three')).status).toBe('complete');

    // A branch that was moved to a sibling continues from the sibling, never from the reply that it left.
    await client
      .regenerate(project.id, { ref: 'main' })
      .then(({ turns }) => client.turnStream(project.id, turns[0]?.turnId ?? '', 0).then(allLines));
    const siblings = (await client.history(project.id, { ref: 'main' })).groups.at(-1)?.reply[0]?.siblingIds ?? [];
    await client.updateBranch(project.id, 'main', { tipId: siblings[0] ?? '' });
    expect(endOf(await say(client, project.id, 'main', 'After the switch')).status).toBe('complete');

    // The provider forgets everything.
    await simulator.close();
    simulator = await startSimulator({ port });
    const lines = await say(client, project.id, 'main', 'Do you remember?');
    expect(endOf(lines).status, JSON.stringify(lines.filter((line) => line.type === 'error'))).toBe('complete');
    expect(lines.filter((line) => line.type === 'error')).toEqual([]);
    expect(endOf(await say(client, project.id, 'main', 'And now?')).status).toBe('complete');
    expect((await client.diagnostics()).rejections).toBe(0);
    const { calls } = await client.diagnostics();
    expect(calls.some((call) => call.errorCode === 'previous_response_refused')).toBe(true);
  } finally {
    await server.dispose();
    await simulator.close();
  }
});

it('EN-51: the preview shows the request that continues, and the whole one that it stands for', async () => {
  const simulator = await startSimulator();
  const recorder = await startRecorder(simulator.url);
  const server = await startTestServer(
    { OPENAI_API_KEY: 'sk-test-key' },
    { providers: { openai_responses: { baseUrl: `${recorder.url}/v1`, quirks: { storeResponses: true } } } },
  );
  try {
    const { client } = server;
    const { project } = await client.createProject({ provider: 'openai_responses' });
    const first = await client.context(project.id, { ref: 'main', message: 'One' });
    expect(first.standsFor).toBeNull();
    await say(client, project.id, 'main', 'One');
    const second = await client.context(project.id, { ref: 'main', message: 'Two' });
    await say(client, project.id, 'main', 'Two');
    expect(recorder.bodies()).toEqual([first.request.body, second.request.body]);
    expect(second.previousBody).toBe(first.request.body);

    const read = (body: string | null) =>
      JSON.parse(body ?? '{}') as { previous_response_id?: string; input: object[] };
    const sent = read(second.request.body);
    const whole = read(second.standsFor);
    expect(sent.previous_response_id).toMatch(/^resp_/);
    expect(JSON.stringify(sent.input)).not.toContain('One');
    expect(whole.previous_response_id).toBeUndefined();
    expect(JSON.stringify(whole.input)).toContain('One');
    expect(whole.input.slice(-sent.input.length)).toEqual(sent.input);
    expect(second.report).toHaveLength(3);
    expect(await client.contextReport(project.id, { ref: 'main', message: 'Two' })).toMatchObject({ violations: [] });

    // Another model continues nothing: what is shown is the whole request, as it would be sent.
    const other = await client.context(project.id, {
      ref: 'main',
      message: 'Three',
      target: { provider: 'simulated' },
    });
    expect(other.standsFor).toBeNull();
  } finally {
    await server.dispose();
    await recorder.close();
    await simulator.close();
  }
});
