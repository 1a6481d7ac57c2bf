import type { Client } from '@bough/api';
import { describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

const WITH: readonly [string, Record<string, string>][] = [
  ['files', { BOUGH_STORE: 'files' }],
  ['git', { BOUGH_STORE: 'git' }],
  ['postgres', { BOUGH_STORE: 'postgres' }],
];

async function onServer(env: Record<string, string>, act: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startTestServer(env);
  try {
    await act(server);
  } finally {
    await server.dispose();
  }
}

/** A branch with two turns of a model that binds its thinking. */
async function twoTurns(client: Client): Promise<string> {
  const { project } = await client.createProject({
    provider: 'simulated',
    model: 'sim-bound',
    systemPrompt: 'You are terse.',
  });
  await say(client, project.id, 'main', 'One');
  await say(client, project.id, 'main', 'Two');
  return project.id;
}

const bodyOf = async (client: Client, project: string, ref: string) =>
  JSON.stringify((await client.context(project, { ref })).request.body);
const thoughtsIn = (body: string): number => body.split('signature').length - 1;

describe('instructions that change', () => {
  it.each(WITH)('EN-58: from here on they are appended, and nothing before them changes, on %s', async (_, env) =>
    onServer(env, async ({ client }) => {
      const project = await twoTurns(client);
      const before = thoughtsIn(await bodyOf(client, project, 'main'));
      expect(before).toBeGreaterThan(1);
      const { branch } = await client.createBranch(project, {
        name: 'verse',
        fromRef: 'main',
        systemPrompt: 'Answer in verse.',
      });
      expect(branch.systemPrompt).toBe('You are terse.');
      const body = await bodyOf(client, project, 'verse');
      expect(thoughtsIn(body)).toBe(before);
      expect(body).toContain('Answer in verse.');
      expect(body.indexOf('You are terse.')).toBeLessThan(body.indexOf('Answer in verse.'));
      expect(endOf(await say(client, project, 'verse', 'Three')).status).toBe('complete');
      expect(thoughtsIn(await bodyOf(client, project, 'verse'))).toBeGreaterThan(before);
      expect((await client.diagnostics()).rejections).toBe(0);
    }),
  );

  it('EN-58: from the beginning they replace the prompt, and the preview shows the price of either', async () =>
    onServer({}, async ({ client }) => {
      const project = await twoTurns(client);
      const lost = async (instructionsFrom: 'here' | 'beginning'): Promise<number> => {
        const target = { systemPrompt: 'Answer in verse.', instructionsFrom };
        const { report } = await client.context(project, { ref: 'main', target });
        return report.filter(({ reasons }) => reasons.includes('thinking_prefix_changed')).length;
      };
      expect(await lost('here')).toBe(0);
      expect(await lost('beginning')).toBe(2);
      const { branch } = await client.createBranch(project, {
        fromRef: 'main',
        systemPrompt: 'Answer in verse.',
        instructionsFrom: 'beginning',
      });
      expect(branch.systemPrompt).toBe('Answer in verse.');
      expect(await bodyOf(client, project, branch.name)).not.toContain('You are terse.');
    }));

  it('EN-58: on the branch itself they are a message of their own; before the first message they are the prompt', async () =>
    onServer({}, async ({ client }) => {
      const project = await twoTurns(client);
      const { branch } = await client.updateBranch(project, 'main', { systemPrompt: 'Answer in verse.' });
      expect(branch.systemPrompt).toBe('You are terse.');
      const { groups } = await client.history(project, { ref: 'main' });
      expect(groups.at(-1)?.reply.at(-1)).toMatchObject({ role: 'system', content: 'Answer in verse.' });
      expect(endOf(await say(client, project, 'main', 'Three')).status).toBe('complete');
      // Asked for again, nothing is added.
      const tip = (await client.history(project, { ref: 'main' })).branch.tipId;
      expect((await client.updateBranch(project, 'main', { systemPrompt: 'Answer in verse.' })).branch.tipId).toBe(tip);

      const { project: empty } = await client.createProject({ provider: 'simulated', model: 'sim-bound' });
      const changed = await client.updateBranch(empty.id, 'main', { systemPrompt: 'Be kind.' });
      expect(changed.branch).toMatchObject({ systemPrompt: 'Be kind.', tipId: null });
    }));

  it('EN-59: a model that takes them only at the beginning gets them there, or says so', async () =>
    onServer({}, async ({ client }) => {
      const { project } = await client.createProject({ provider: 'simulated_gemini', model: 'sim-summary' });
      await say(client, project.id, 'main', 'One');
      const { branch } = await client.createBranch(project.id, { fromRef: 'main', systemPrompt: 'Be kind.' });
      expect(branch.systemPrompt).toBe('Be kind.');
      const asked = { fromRef: 'main', systemPrompt: 'Be brief.', instructionsFrom: 'here' } as const;
      await expect(client.createBranch(project.id, asked)).rejects.toMatchObject({
        status: 409,
        code: 'instructions_not_appendable',
      });
      await expect(client.updateBranch(project.id, 'main', { systemPrompt: 'Be brief.' })).rejects.toMatchObject({
        code: 'instructions_not_appendable',
      });
    }));
});

describe('tools that change', () => {
  const toolsOf = (body: unknown): unknown => (body as { tools?: { name: string }[] }).tools?.map(({ name }) => name);
  const rawBody = async (client: Client, project: string, ref: string): Promise<unknown> => {
    const { request } = await client.context(project, { ref });
    return typeof request.body === 'string' ? JSON.parse(request.body) : request.body;
  };

  it.each(WITH)('EN-65: they come and go from here on, and nothing before that changes, on %s', async (_, env) =>
    onServer(env, async ({ client }) => {
      const { project } = await client.createProject({
        provider: 'simulated',
        model: 'sim-bound',
        tools: ['calculator'],
      });
      await say(client, project.id, 'main', 'What is 17 * 23? /sim tools calculator');
      const before = thoughtsIn(await bodyOf(client, project.id, 'main'));
      expect(before).toBeGreaterThan(0);

      await client.updateBranch(project.id, 'main', { tools: ['calculator', 'current_time'] });
      const added = await rawBody(client, project.id, 'main');
      expect(toolsOf(added)).toEqual(['calculator']);
      expect(JSON.stringify(added)).toContain('"type":"tool_addition","tool":{"type":"tool_definition"');
      expect(thoughtsIn(JSON.stringify(added))).toBe(before);
      const used = await say(client, project.id, 'main', '/sim tools current_time');
      expect(endOf(used).status).toBe('complete');
      expect(JSON.stringify(used)).toContain('current_time');

      // In the turn itself, too.
      await say(client, project.id, 'main', 'Without the calculator.', { tools: ['current_time'] });
      const removed = await rawBody(client, project.id, 'main');
      expect(toolsOf(removed)).toEqual(['calculator']);
      expect(JSON.stringify(removed)).toContain('"type":"tool_removal"');
      expect(thoughtsIn(JSON.stringify(removed))).toBeGreaterThan(before);

      const { branch } = await client.createBranch(project.id, {
        fromRef: 'main',
        tools: ['current_time', 'calculator'],
      });
      expect(branch.tools).toEqual(['current_time', 'calculator']);
      expect(endOf(await say(client, project.id, branch.name, '/sim tools calculator')).status).toBe('complete');
      expect(toolsOf(await rawBody(client, project.id, branch.name))).toEqual(['calculator']);
      expect((await client.diagnostics()).rejections).toBe(0);
    }),
  );

  it('EN-65: a model that does not take that gets the new tools from the beginning', async () =>
    onServer({}, async ({ client }) => {
      const { project } = await client.createProject({
        provider: 'simulated_responses',
        model: 'sim-summary',
        tools: ['calculator'],
      });
      await say(client, project.id, 'main', 'One');
      await client.updateBranch(project.id, 'main', { tools: ['current_time'] });
      expect(toolsOf(await rawBody(client, project.id, 'main'))).toEqual(['current_time']);
      expect(endOf(await say(client, project.id, 'main', 'Two')).status).toBe('complete');
    }));
});
