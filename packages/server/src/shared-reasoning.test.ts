import { startSimulator } from '@bough/simulator';
import { expect, it } from 'vitest';
import { endOf, say, startTestServer } from './testing/start.ts';

it('EN-63: reasoning of another model that a server cannot decrypt is left out, and nobody sees an error', async () => {
  const simulator = await startSimulator();
  const server = await startTestServer(
    { OPENAI_API_KEY: 'sk-test-key' },
    { providers: { openai_responses: { baseUrl: `${simulator.url}/azure/v1` } } },
  );
  try {
    const { client } = server;
    const { project } = await client.createProject({ provider: 'openai_responses', model: 'gpt-5.5' });
    expect(endOf(await say(client, project.id, 'main', 'One')).status).toBe('complete');
    const other = { name: 'other', fromRef: 'main', provider: 'openai_responses', model: 'gpt-6.1-sol' };
    await client.createBranch(project.id, other);
    const lines = await say(client, project.id, 'other', 'Two');
    expect(endOf(lines).status).toBe('complete');
    expect(lines.filter((line) => line.type === 'error')).toEqual([]);
    const { calls } = await client.diagnostics();
    expect(calls.filter((call) => call.errorCode === 'shared_reasoning_refused')).toHaveLength(1);
  } finally {
    await server.dispose();
    await simulator.close();
  }
});

it('EN-64: a branch that returns to a model sends its own replies as they were made; by break it sends text', async () => {
  const server = await startTestServer();
  try {
    const { client } = server;
    const { project } = await client.createProject({ provider: 'simulated', model: 'sim-bound' });
    await say(client, project.id, 'main', 'One');
    const away = { name: 'away', fromRef: 'main', provider: 'simulated_gemini', model: 'sim-summary' };
    await client.createBranch(project.id, away);
    await say(client, project.id, 'away', 'Two');
    const back = { name: 'back', fromRef: 'away', provider: 'simulated', model: 'sim-bound' };
    expect((await client.createBranch(project.id, back)).branch.replayBy).toBe('issuer');
    const signed = async (): Promise<number> => {
      const { request } = await client.context(project.id, { ref: 'back', message: 'Three' });
      return JSON.stringify(request.body).split('"signature').length - 1;
    };
    expect(await signed()).toBeGreaterThan(0);
    expect(endOf(await say(client, project.id, 'back', 'Three')).status).toBe('complete');
    const { branch } = await client.updateBranch(project.id, 'back', { replayBy: 'break' });
    expect(branch.replayBy).toBe('break');
    // What was thought after the old prefix does not fit the new one.
    expect(await signed()).toBe(0);
    expect(endOf(await say(client, project.id, 'back', 'Four')).status).toBe('complete');
    expect((await client.diagnostics()).rejections).toBe(0);
  } finally {
    await server.dispose();
  }
});
