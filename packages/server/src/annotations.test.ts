import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, say, startTestServer } from './testing/start.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ BOUGH_STORE: 'files' });
});
afterAll(() => server.dispose());

async function talk() {
  const { client } = server;
  const { project } = await client.createProject({ name: 'Oaks', thinking: 'off' });
  const { nodeIds } = endOf(await say(client, project.id, 'main', '/sim say Forty metres.'));
  const [user = '', reply = ''] = nodeIds;
  return { client, id: project.id, user, reply };
}

describe('what is kept beside messages', () => {
  it('SV-311: stars, notes and bookmarks are set, listed with their place, found, and taken away', async () => {
    const { client, id, user, reply } = await talk();
    await client.annotateNode(id, reply, { star: true, note: 'Check the quokka.', addBookmark: ' Tall ' });
    await client.annotateNode(id, user, { star: true });
    const { annotations, total } = await client.listAnnotations({ project: id });
    expect(total).toBe(4);
    expect(annotations.map(({ kind, nodeId, name }) => [kind, nodeId, name])).toEqual(
      expect.arrayContaining([
        ['star', user, ''],
        ['bookmark', reply, 'Tall'],
      ]),
    );
    expect(annotations.find(({ kind }) => kind === 'note')).toMatchObject({
      text: 'Check the quokka.',
      projectName: 'Oaks',
      branchName: 'main',
      role: 'assistant',
      title: 'Forty metres.',
    });
    expect((await client.listAnnotations({ project: id, kind: 'star', limit: 1 })).annotations.length).toBe(1);
    expect((await client.search({ q: 'is:starred role:assistant', project: id })).hits).toMatchObject([
      { nodeId: reply, branchName: 'main' },
    ]);
    expect((await client.search({ q: 'quokka' })).hits).toMatchObject([
      { nodeId: reply, matches: [{ where: 'note' }] },
    ]);
    const { annotations: left } = await client.annotateNode(id, reply, {
      star: false,
      note: null,
      removeBookmark: 'Tall',
    });
    expect(left).toEqual([]);
    expect((await client.projectAnnotations(id)).annotations).toMatchObject([{ kind: 'star', nodeId: user }]);
  });

  it('SV-312: no model gets any of it', async () => {
    const { client, id, user, reply } = await talk();
    const before = (await client.context(id, { ref: 'main' })).request.body;
    await client.annotateNode(id, reply, { star: true, note: 'secretword', addBookmark: 'secretword', mark: 'bad' });
    await client.annotateNode(id, user, { note: 'secretword' });
    expect((await client.context(id, { ref: 'main' })).request.body).toEqual(before);
    await say(client, id, 'main', 'Go on');
    const { groups } = await client.history(id, { ref: 'main' });
    expect(JSON.stringify(groups)).not.toContain('secretword');
  });

  it('SV-313: what cannot be kept is refused with a sentence that says why', async () => {
    const { client, id, user, reply } = await talk();
    const refused = (work: Promise<unknown>, code: string) => expect(work).rejects.toMatchObject({ code });
    await refused(client.annotateNode(id, 'nobody', { star: true }), 'unknown_id');
    await refused(client.annotateNode(id, user, { mark: 'good' }), 'not_a_reply');
    await refused(client.judge(id, { nodes: [reply, reply], best: [reply] }), 'too_few_to_compare');
    await refused(client.judge(id, { nodes: [reply, user], best: [reply] }), 'not_a_reply');
    await refused(client.listAnnotations({ kind: 'shiny' }), 'invalid_kind');
    const unknown = { bookmarks: ['Tall'], dryRun: true };
    await refused(client.annotateNode(id, reply, { star: true, ...unknown }), 'invalid_request');
    await refused(client.judge(id, { nodes: [reply, reply], best: [reply], ...unknown }), 'invalid_request');
    expect((await client.projectAnnotations(id)).annotations).toEqual([]);
  });
});

describe('verdicts', () => {
  it('SV-314: replies to one message are compared; models have what they won, lost, cost and took', async () => {
    const { client, id, reply } = await talk();
    const { turns } = await client.regenerate(id, { ref: 'main', nodeId: reply, n: 2 });
    for (const { turnId } of turns) await allLines(await client.turnStream(id, turnId, 0));
    const { nodes } = await client.getSiblings(reply);
    const ids = nodes.map((node) => node.id);
    const [, second = ''] = ids;
    expect(ids.length).toBe(3);
    await client.judge(id, { nodes: ids, best: [second], reason: 'shorter', blind: true });
    const { annotations } = await client.projectAnnotations(id);
    const told = annotations.map(
      ({ nodeId, verdict, blind, text }) => `${ids.indexOf(nodeId)} ${verdict} ${blind} ${text}`,
    );
    expect(told.toSorted()).toEqual(['0 worse true ', '1 better true shorter', '2 worse true ']);
    const { models } = await client.judgedModels(id);
    expect(models).toMatchObject([{ provider: 'simulated', wins: 1, losses: 2, ties: 0, replies: 3 }]);
    expect(models[0]?.averageMs).toBeGreaterThanOrEqual(0);
    // Judging the same ones again replaces the verdict.
    await client.judge(id, { nodes: ids.toReversed(), best: ids });
    expect((await client.judgedModels(id)).models).toMatchObject([{ wins: 0, losses: 0, ties: 3 }]);
    await client.annotateNode(id, second, { mark: 'good', reason: 'by itself' });
    expect((await client.judgedModels(id)).models).toMatchObject([{ ties: 3, good: 1, replies: 3 }]);
    const other = await talk();
    await expect(client.judge(other.id, { nodes: [other.reply, second], best: [second] })).rejects.toMatchObject({
      code: 'unknown_id',
    });
    await client.deleteNode(id, second, 'cascade');
    expect((await client.judgedModels(id)).models).toMatchObject([{ ties: 2, good: 0, replies: 2 }]);
  });
});
