import type { Client } from '@bough/api';
import { describe, expect, it } from 'vitest';
import { endOf, say, startTestServer } from './testing/start.ts';

/** Every store, and every protocol. */
const WITH = [
  ['files', 'simulated', 'sim-bound'],
  ['git', 'simulated_responses', 'sim-summary'],
  ['postgres', 'simulated_gemini', 'sim-summary'],
  ['files', 'simulated_chat', 'sim-thinker'],
] as const;

const refusal = (code: string) => expect.objectContaining({ code });

async function tell(client: Client, id: string, ref: string, text: string): Promise<void> {
  expect(endOf(await say(client, id, ref, text)).status).toBe('complete');
}

async function messagesOn(client: Client, id: string, ref: string): Promise<string> {
  const { body } = (await client.context(id, { ref })).request;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

describe('merges', () => {
  it.each(WITH)(
    'EN-720, SV-710: what is new on a branch becomes one message, which the graph tells, on %s with %s/%s',
    async (store, provider, model) => {
      const { client, dispose } = await startTestServer({ BOUGH_STORE: store });
      try {
        const { project } = await client.createProject({ provider, model });
        const { id } = project;
        await tell(client, id, 'main', 'fact river is Spree');
        await client.createBranch(id, { name: 'hills', fromRef: 'main' });
        await tell(client, id, 'hills', 'fact hill is Brocken');
        await tell(client, id, 'main', 'fact lake is Wannsee');

        const preview = await client.mergePreview(id, { from: 'hills', into: 'main' });
        expect(preview.messages.map(({ node }) => node.role)).toEqual(['user', 'assistant']);
        expect(preview.since).toBe('fork');
        expect(preview.answer?.tokens).toBeGreaterThan(0);
        const [question] = preview.messages;
        const before = await messagesOn(client, id, 'main');
        const nodeIds = question === undefined ? [] : [question.node.id];
        const { node, branch } = await client.merge(id, { from: 'hills', into: 'main', by: 'messages', nodeIds });
        expect([node.role, branch.tipId]).toEqual(['user', node.id]);
        expect(node.contentBlocks.map(({ type }) => type)).toEqual(['merge', 'text']);
        const after = await messagesOn(client, id, 'main');
        expect(after).toContain('Brocken');
        expect(after).not.toContain('"merge"');
        expect(before).not.toContain('Brocken');

        // The message that follows is the user's, too: no protocol refuses the two, and the model read both.
        await tell(client, id, 'main', '/sim recall hill');

        await expect(client.mergePreview(id, { from: 'hills', into: 'main' })).rejects.toEqual(
          refusal('nothing_to_merge'),
        );
        await tell(client, id, 'hills', 'fact tower is Teufelsberg');
        expect((await client.mergePreview(id, { from: 'hills', into: 'main' })).since).toBe('merge');
        const { node: second, cost } = await client.merge(id, { from: 'hills', into: 'main', by: 'summary' });
        expect(cost === null || cost >= 0).toBe(true);
        const read = await client.readMerge(id, second.id);
        expect(read).toMatchObject({ branchName: 'hills', sourceName: 'hills', by: 'summary', after: preview.upTo });
        expect(read.messages?.map(({ content }) => content)[0]).toBe('fact tower is Teufelsberg');
        expect(read.diff.added).toBeGreaterThan(0);
        await tell(client, id, 'main', 'Thanks.');

        // The second parents of the tree, on every store.
        const { nodes } = await client.graph(id);
        const joins = nodes.flatMap((each) => (each.mergedUpTo === undefined ? [] : [[each.id, each.mergedUpTo]]));
        expect(joins).toEqual([
          [node.id, preview.upTo],
          [second.id, read.upTo],
        ]);
      } finally {
        await dispose();
      }
    },
  );

  it('EN-721: what makes no sense is refused with what to do, and nothing is stored', async () => {
    const { client, dispose } = await startTestServer({});
    try {
      const { project } = await client.createProject({ provider: 'simulated', model: 'sim-bound' });
      const { id } = project;
      await client.createBranch(id, { name: 'empty', empty: true });
      await tell(client, id, 'main', 'Hello.');
      const merge = (from: string, into: string, more: object = {}) =>
        client.merge(id, { from, into, by: 'messages', ...more });
      await expect(merge('main', 'main')).rejects.toEqual(refusal('merge_with_itself'));
      await expect(merge('empty', 'main')).rejects.toEqual(refusal('nothing_to_merge'));
      await expect(merge('main', 'empty')).rejects.toEqual(refusal('invalid_content'));
      await expect(merge('main', 'empty', { nodeIds: ['nobody'] })).rejects.toEqual(refusal('invalid_content'));
      const { firstNodeId } = await client.history(id, { ref: 'main' });
      await expect(client.readMerge(id, firstNodeId ?? '')).rejects.toEqual(refusal('not_a_merge'));
      // Into an empty branch it is the first message.
      const { node } = await client.merge(id, { from: 'main', into: 'empty', by: 'answer' });
      expect(node.parentId).toBeNull();
      await tell(client, id, 'empty', 'Go on.');
    } finally {
      await dispose();
    }
  });

  it('SV-711: who hangs up while a summary is written brings nothing; the call is recorded, and it can be tried again', async () => {
    const { client, dispose } = await startTestServer({});
    try {
      const { project } = await client.createProject({ provider: 'simulated', model: 'sim-bound' });
      const { id } = project;
      await tell(client, id, 'main', 'Hello.');
      await client.createBranch(id, { name: 'hills', fromRef: 'main' });
      await tell(client, id, 'hills', '/sim say Brocken.');
      const calls = async () =>
        (await client.costs({ project: id })).rows.reduce((sum, { calls: made }) => sum + made, 0);
      const before = [await calls(), (await client.listBranches(id)).branches] as const;
      const hangUp = new AbortController();
      // The model falls silent for good: nothing but hanging up ends this.
      const request = { from: 'hills', into: 'main', by: 'summary', instruction: '/sim fault stall 1' } as const;
      const asked = client.merge(id, request, hangUp.signal);
      const { providers } = await client.listProviders();
      const simulator = new URL(providers.find(({ id: provider }) => provider === 'simulated')?.baseUrl ?? '').origin;
      const stalled = async () => {
        const log = (await (await fetch(`${simulator}/__simulator/log`)).json()) as { counts: { fault: number } };
        return log.counts.fault;
      };
      await expect.poll(stalled, { timeout: 10_000 }).toBe(1);
      hangUp.abort();
      await expect(asked).rejects.toThrow(/abort/i);
      await expect.poll(calls, { timeout: 10_000 }).toBe(before[0] + 1);
      expect((await client.listBranches(id)).branches).toEqual(before[1]);
      await client.merge(id, { from: 'hills', into: 'main', by: 'summary' });
    } finally {
      await dispose();
    }
  });

  it('SV-712: a document says of a merge from where it was brought, and not what only models are told', async () => {
    const { client, dispose } = await startTestServer({});
    try {
      const { project } = await client.createProject({ provider: 'simulated', model: 'sim-plain' });
      const { id } = project;
      await tell(client, id, 'main', 'Hello.');
      await client.createBranch(id, { name: '<hills> & *more*', fromRef: 'main' });
      await tell(client, id, '<hills> & *more*', '/sim say The Brocken.');
      await client.merge(id, { from: '<hills> & *more*', into: 'main', by: 'answer' });
      const document = async (format: 'markdown' | 'html') =>
        (await client.exportProject(id, { format, ref: 'main' })).text();
      expect(await document('markdown')).toContain(
        '## Brought from the branch “\\<hills\\> \\& \\*more\\*”\n\nThe Brocken.',
      );
      expect(await document('html')).toContain(
        '<h2>Brought from the branch “&lt;hills&gt; &amp; *more*”</h2>\n<div class="text">The Brocken.</div>',
      );
    } finally {
      await dispose();
    }
  });
});
