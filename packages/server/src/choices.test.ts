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

interface Talk {
  readonly id: string;
  /** The ids of the path, in order. */
  readonly path: readonly string[];
}

async function talk(client: Client, model: string, words: readonly string[], tools: string[] = []): Promise<Talk> {
  const { project } = await client.createProject({ provider: 'simulated', model, systemPrompt: 'Be terse.', tools });
  for (const text of words) expect(endOf(await say(client, project.id, 'main', text)).status).toBe('complete');
  const { report } = await client.context(project.id, { ref: 'main' });
  return { id: project.id, path: report.map(({ nodeId }) => nodeId).filter((id) => id !== 'next-message') };
}

const bodyOf = async (client: Client, id: string, ref = 'main') => (await client.context(id, { ref })).request.body;

describe('messages that are left out and pinned', () => {
  it.each(WITH)('EN-290: what is left out of a branch stays out, and can be put back, on %s', async (_, env) =>
    onServer(env, async ({ client }) => {
      const { id, path } = await talk(client, 'sim-bound', ['The password is swordfish.', 'Two', 'Three']);
      const [first = '', answer = '', , reply = ''] = path;
      const out = { [first]: 'leave_out', [answer]: 'leave_out' } as const;
      const before = await bodyOf(client, id);
      expect(before).toContain('swordfish');

      const { effect } = await client.contextReport(id, { ref: 'main', choices: out });
      expect(effect?.savedTokens).toBeGreaterThan(0);
      expect(effect?.rewrittenTokens).toBeGreaterThan(0);
      // The simulated models are free.
      expect(effect?.rewriteCost).toBe(0);
      // Thinking that is bound to what precedes it cannot go back behind a change.
      expect(effect?.lostReasoning).toContain(reply);
      expect(await bodyOf(client, id)).toBe(before);

      const { branch } = await client.updateBranch(id, 'main', { choices: out });
      expect(branch.choices).toEqual(out);
      expect(await bodyOf(client, id)).not.toContain('swordfish');
      expect(endOf(await say(client, id, 'main', 'Four')).status).toBe('complete');

      // A fork goes on as it was; each of the two then chooses for itself.
      await client.createBranch(id, { name: 'other', fromRef: 'main' });
      expect(await bodyOf(client, id, 'other')).toBe(await bodyOf(client, id));
      const back = await client.updateBranch(id, 'other', { choices: { [first]: null, [answer]: null } });
      expect(back.branch.choices).toBeUndefined();
      expect(await bodyOf(client, id, 'other')).toContain('swordfish');
      expect(await bodyOf(client, id)).not.toContain('swordfish');
      expect(endOf(await say(client, id, 'other', 'Five')).status).toBe('complete');
      expect((await client.diagnostics()).rejections).toBe(0);
    }),
  );

  it('EN-291: a result alone can be left out; its call stays', async () =>
    onServer({}, async ({ client }) => {
      const { id } = await talk(client, 'sim-thinker', ['/sim tools calculator', 'Two'], ['calculator']);
      const { report } = await client.context(id, { ref: 'main' });
      const result = report.find(({ role }) => role === 'tool');
      expect(result).toBeDefined();
      await client.updateBranch(id, 'main', { choices: { [result?.nodeId ?? '']: 'leave_out' } });
      expect(await bodyOf(client, id)).toContain('[The result was left out.]');
      const after = await client.context(id, { ref: 'main' });
      expect(after.report.find(({ role }) => role === 'tool')?.reasons).toEqual(['result_left_out']);
      expect(endOf(await say(client, id, 'main', 'Three')).status).toBe('complete');
      expect((await client.diagnostics()).rejections).toBe(0);
    }));

  it('EN-292: choices about what is not there, or about instructions, are refused and change nothing', async () =>
    onServer({}, async ({ client }) => {
      const { id, path } = await talk(client, 'sim-bound', ['One']);
      await client.updateBranch(id, 'main', { systemPrompt: 'Answer in verse.' });
      const choose = (node: string | undefined) =>
        client.updateBranch(id, 'main', { choices: { [path[0] ?? '']: 'pin', [node ?? '']: 'leave_out' } });
      await expect(choose('nobody')).rejects.toMatchObject({ status: 404, code: 'unknown_id' });
      const { report } = await client.context(id, { ref: 'main' });
      const instructions = report.find(({ role }) => role === 'system')?.nodeId;
      await expect(choose(instructions)).rejects.toMatchObject({ status: 409, code: 'instructions_not_chosen' });
      const { branches } = await client.listBranches(id);
      expect(branches[0]?.choices).toBeUndefined();
      expect((await choose(path[1])).branch.choices).toEqual({ [path[0] ?? '']: 'pin', [path[1] ?? '']: 'leave_out' });
    }));

  it('EN-294: where nothing could be sent without them, choices are told and made all the same', async () => {
    const models = [{ id: 'sim-bound', window: 4_000, maxOutput: 600 }];
    const server = await startTestServer({}, { providers: { simulated: { models } } });
    try {
      const { client } = server;
      const long = (name: string): string => `${name}: ${'Lorem ipsum dolor. '.repeat(260)}`;
      const { id, path } = await talk(client, 'sim-bound', [long('one'), long('two'), long('three')]);
      const [one = '', , two = '', , three = ''] = path;
      await client.updateBranch(id, 'main', { choices: { [one]: 'pin', [two]: 'pin' } });
      const pinThree = { choices: { [three]: 'pin' } } as const;
      await expect(client.contextReport(id, { ref: 'main', ...pinThree })).rejects.toMatchObject({
        code: 'context_too_long',
      });
      await client.updateBranch(id, 'main', pinThree);
      await expect(client.context(id, { ref: 'main' })).rejects.toMatchObject({ code: 'context_too_long' });
      // This is what the refusal says to do.
      const unpin = { choices: { [one]: null } };
      const { effect, report } = await client.contextReport(id, { ref: 'main', ...unpin });
      expect(effect).toBeUndefined();
      expect(report.find(({ nodeId }) => nodeId === one)?.reasons).toContain('trimmed');
      await client.updateBranch(id, 'main', unpin);
      expect(endOf(await say(client, id, 'main', 'Go on')).status).toBe('complete');
    } finally {
      await server.dispose();
    }
  });
});
