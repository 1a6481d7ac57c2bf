import type { Client, ImportLine } from '@bough/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { miniClient } from './gateway/client.ts';
import { startStage } from './gateway/testing.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, shown, startTestServer } from './testing/start.ts';

async function start(): Promise<TestServer> {
  const server = await startTestServer();
  onTestFinished(server.dispose);
  return server;
}

async function imported(client: Client, file: Blob, name: string): Promise<string> {
  const lines = (await (await client.importFile(file, { name })).text()).trim().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as ImportLine;
  if (last.type !== 'report') throw new Error(JSON.stringify(last));
  return last.report.projects[0]?.id ?? '';
}

async function recall(client: Client, id: string, ref: string, name: string): Promise<string> {
  const lines = await say(client, id, ref, `/sim recall ${name}`);
  expect(lines.filter(({ type }) => type === 'error')).toEqual([]);
  expect(endOf(lines).status).toBe('complete');
  return shown(lines, 'text');
}

describe('summaries of conversations that began elsewhere', () => {
  it.each(['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'] as const)(
    'EN-498: what the gateway recorded of %s is summarised, and its client goes on with all of it',
    async (protocol) => {
      const stage = await startStage();
      const { client } = stage.server;
      const recorded = miniClient(protocol, stage.at, { tools: ['ls'], system: 'You help.' });
      const first = await recorded.say('fact river is Spree');
      const id = first.headers.get('x-bough-project') ?? '';
      await recorded.say('Look. /sim tools ls');
      await recorded.answer('fact file is a.ts');
      await recorded.say('fact hill is Brocken');
      const [main] = (await client.listBranches(id)).branches;
      const { report } = await client.context(id, { ref: main?.id ?? '' });
      const path = report.map(({ nodeId }) => nodeId).filter((node) => node !== 'next-message');
      const { branch, summaryId } = await client.compact(id, {
        ref: main?.id ?? '',
        upTo: path[5],
        instruction: '/sim summary',
      });
      expect((await client.summary(id, branch.id)).summary).toMatchObject({ id: summaryId, coveredNodes: 6 });
      const { body } = (await client.context(id, { ref: branch.id })).request;
      expect(body).not.toContain('Look. ');
      expect(await recall(client, id, branch.id, 'river')).toContain('Spree');
      expect(await recall(client, id, branch.id, 'hill')).toContain('Brocken');
      // The client knows nothing of it: its conversation goes on where it was, with everything.
      const next = await recorded.say('/sim recall river');
      expect([next.status, next.text]).toEqual([200, expect.stringContaining('Spree')]);
      const { branches } = await client.listBranches(id);
      expect(branches.find((each) => each.id === main?.id)).toMatchObject({
        tipId: expect.not.stringMatching(path.at(-1) ?? ''),
      });
      expect(branches).toHaveLength(2);
      expect((await client.diagnostics()).rejections).toBe(0);
    },
  );

  it('EN-499: the session of an agent is summarised after its import, and goes on with another model', async () => {
    const { client } = await start();
    const maker = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-opus-4-6' };
    const texts = ['fact river is Spree', 'Noted.', 'fact hill is Brocken, the old one', 'Noted, too.', 'More?', 'No.'];
    const entries = texts.map((text, index) => ({
      type: 'message',
      id: `m${index}`,
      parentId: index === 0 ? null : `m${index - 1}`,
      timestamp: '2026-01-01T00:00:01.000Z',
      message:
        index % 2 === 0
          ? { role: 'user', content: text }
          : { role: 'assistant', content: [{ type: 'text', text }], ...maker },
    }));
    const session = { type: 'session', version: 3, id: 'one', timestamp: '2026-01-01T00:00:00.000Z' };
    const file = new Blob([[session, ...entries].map((entry) => JSON.stringify(entry)).join('\n')]);
    const id = await imported(client, file, 'x_one.jsonl');
    await client.createBranch(id, { fromRef: 'main', name: 'here', provider: 'simulated', model: 'sim-bound' });
    const { report } = await client.context(id, { ref: 'here' });
    const { branch } = await client.compact(id, { ref: 'here', upTo: report[3]?.nodeId });
    expect((await client.context(id, { ref: branch.id })).request.body).not.toContain('the old one');
    expect(await recall(client, id, branch.id, 'river')).toContain('Spree');
    expect(await recall(client, id, branch.id, 'hill')).toContain('Brocken');
    expect((await client.diagnostics()).rejections).toBe(0);
  });

  it('EN-500: a bundle keeps a summary: the request behind it is the same to the byte where it is imported', async () => {
    const here = await start();
    const { project } = await here.client.createProject({ provider: 'simulated', model: 'sim-bound' });
    for (const text of ['fact river is Spree', 'fact hill is Brocken', 'More?'])
      expect(endOf(await say(here.client, project.id, 'main', text)).status).toBe('complete');
    const { report } = await here.client.context(project.id, { ref: 'main' });
    await here.client.updateBranch(project.id, 'main', {
      choices: { [report[0]?.nodeId ?? '']: 'pin' },
      compacting: { mode: 'on', share: 0.6 },
    });
    await here.client.compact(project.id, { ref: 'main', upTo: report[3]?.nodeId, name: 'short' });
    const bundle = await (await here.client.exportProject(project.id)).blob();

    const there = await start();
    const id = await imported(there.client, bundle, 'project.bough');
    const bodies = await Promise.all([
      here.client.context(project.id, { ref: 'short', message: 'Go on' }),
      there.client.context(id, { ref: 'short', message: 'Go on' }),
    ]);
    expect(bodies[1]?.request.body).toBe(bodies[0]?.request.body);
    const kept = (await there.client.listBranches(id)).branches.find(({ name }) => name === 'short');
    expect(kept).toMatchObject({ compacting: { mode: 'on', share: 0.6 }, summaries: [expect.any(String)] });
    expect((await there.client.summary(id, 'short')).summary?.text).toContain('Brocken');
    expect(await recall(there.client, id, 'short', 'hill')).toContain('Brocken');
    expect((await there.client.diagnostics()).rejections).toBe(0);
    // Beside the original every id is another one; the summary still stands for the same messages.
    const beside = await imported(here.client, bundle, 'project.bough');
    expect((await here.client.listProjects()).total).toBeGreaterThan(0);
    expect((await here.client.summary(beside, 'short')).summary).toMatchObject({ coveredNodes: 4 });
  });
});
