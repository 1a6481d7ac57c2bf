import { startSimulator, type Simulator } from '@bough/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

/** Where the simulator plays each vendor: the path determines what it is strict about. */
const DEPLOYMENTS: Readonly<Record<string, { readonly path: string; readonly key: string }>> = {
  anthropic: { path: '/anthropic', key: 'ANTHROPIC_API_KEY' },
  openai_responses: { path: '/openai/v1', key: 'OPENAI_API_KEY' },
  openai: { path: '/openai/v1', key: 'OPENAI_API_KEY' },
  gemini: { path: '/gemini', key: 'GEMINI_API_KEY' },
  deepseek: { path: '/deepseek/v1', key: 'DEEPSEEK_API_KEY' },
  openrouter: { path: '/openrouter/api/v1', key: 'OPENROUTER_API_KEY' },
  groq: { path: '/groq/openai/v1', key: 'GROQ_API_KEY' },
  mistral: { path: '/mistral/v1', key: 'MISTRAL_API_KEY' },
  moonshot: { path: '/moonshot/v1', key: 'MOONSHOT_API_KEY' },
  xai: { path: '/xai/v1', key: 'XAI_API_KEY' },
  ollama: { path: '/ollama/v1', key: 'OLLAMA_API_KEY' },
};
const NAMES = Object.keys(DEPLOYMENTS);
const SECRET = 'sk-deployment-secret-000';

let simulator: Simulator;
let server: TestServer;
beforeAll(async () => {
  simulator = await startSimulator();
  const keys = Object.fromEntries(Object.values(DEPLOYMENTS).map(({ key }) => [key, SECRET]));
  const providers = Object.fromEntries(
    Object.entries(DEPLOYMENTS).map(([id, { path }]) => [id, { baseUrl: `${simulator.url}${path}` }]),
  );
  server = await startTestServer(keys, { providers });
});
afterAll(async () => {
  await server.dispose();
  await simulator.close();
});

const rejections = (): readonly string[] =>
  simulator
    .log()
    .filter((entry) => entry.kind === 'rejected')
    .map((entry) => entry.detail);

describe('every deployment', () => {
  it.each(NAMES)('EN-29: %s thinks, uses tools in two steps, fails once, and goes on', async (provider) => {
    const { project } = await server.client.createProject({ provider, tools: ['calculator', 'current_time'] });
    for (const message of [
      'Hello',
      '/sim think 2 /sim tools calculator current_time x2 steps 2',
      '/sim long 3000 /sim fault cut 30',
      'What did you find? /sim unicode',
      'Bye',
    ]) {
      const lines = await say(server.client, project.id, 'main', message);
      const expected = message.includes('fault') ? ['error', 'complete'] : ['complete'];
      expect(expected, `${message}: ${JSON.stringify(lines.filter((line) => line.type === 'error'))}`).toContain(
        endOf(lines).status,
      );
    }
    expect(rejections()).toEqual([]);
  });

  it('EN-29: one conversation goes through all of them', async () => {
    const { project } = await server.client.createProject({ provider: 'anthropic', tools: ['calculator'] });
    await say(server.client, project.id, 'main', '/sim tools calculator');
    let from = 'main';
    for (const [index, provider] of [...NAMES.slice(1), 'anthropic'].entries()) {
      const name = `${index} ${provider}`;
      await server.client.createBranch(project.id, { name, fromRef: from, provider });
      if (index % 2 === 0) await server.client.updateBranch(project.id, name, { keepToolsAfterBreak: true });
      const lines = await say(server.client, project.id, name, 'Go on /sim tools calculator');
      expect(endOf(lines).status, `${provider}: ${JSON.stringify(lines.filter((line) => line.type === 'error'))}`).toBe(
        'complete',
      );
      from = name;
    }
    expect(rejections()).toEqual([]);
  });

  it.each([
    ['openai', 'gpt-5.1', 'none'],
    ['openai_responses', 'gpt-5.1', 'summary'],
    ['openai_responses', 'gpt-6.1-sol', 'summary'],
    ['anthropic', 'claude-opus-4-5', 'summary'],
    ['deepseek', 'deepseek-reasoner', 'full'],
  ])('EN-46: %s %s is said to show %s of its reasoning', async (provider, model, availability) => {
    const { project } = await server.client.createProject({ provider, model });
    const lines = await say(server.client, project.id, 'main', 'Why? /sim think 1');
    expect(endOf(lines).status).toBe('complete');
    const [group] = (await server.client.history(project.id, { ref: 'main' })).groups;
    expect(group?.reply[0]?.thinking).toEqual({ availability, truncated: false });
    expect(group?.segments.map(({ kind }) => kind)).toEqual(['reasoning', 'reply']);
    const { availability: rows } = await server.client.diagnostics();
    expect(rows.filter((row) => row.provider === provider && row.model === model)).toMatchObject([{ availability }]);
  });

  it('EN-29: the key reaches neither a log, nor an answer, nor a stored request', async () => {
    expect(server.logged().join('')).not.toContain(SECRET);
    expect(JSON.stringify(await server.client.listProviders())).not.toContain(SECRET);
    expect(JSON.stringify(await server.client.diagnostics())).not.toContain(SECRET);
  });
});
