import type { AskInput, Client } from '@bough/api';
import { describe, expect, it } from 'vitest';
import { STORES, useServers } from './testing/on-each-store.ts';
import { allLines, endOf, say, shown, startTestServer } from './testing/start.ts';

const serverOn = useServers();

async function talk(client: Client) {
  const { project } = await client.createProject({ name: 'Oaks', thinking: 'off' });
  const { nodeIds } = endOf(await say(client, project.id, 'main', '/sim say Forty metres.'));
  const [user = '', reply = ''] = nodeIds;
  return { id: project.id, user, reply };
}

/** Asks, and waits for all answers. */
async function ask(client: Client, id: string, request: AskInput) {
  const asked = await client.ask(id, request);
  const texts: string[] = [];
  for (const { turnId } of asked.answers)
    texts.push(shown(await allLines(await client.turnStream(id, turnId, 0)), 'text'));
  return { ...asked, texts };
}

async function namesOf(client: Client, id: string): Promise<readonly string[]> {
  return (await client.listBranches(id)).branches.map(({ name }) => name).toSorted();
}

describe('one message to several models', () => {
  it('SV-700: each answer is a branch below one message, with its own model; the branch asked from stays', async () => {
    const { client } = serverOn('files');
    const { id, reply } = await talk(client);
    const asked = await ask(client, id, {
      ref: 'main',
      message: '/sim say Seventy.',
      targets: [{ n: 2 }, { provider: 'simulated_chat', thinking: 'off' }],
    });
    expect(asked.refused).toEqual([]);
    expect(asked.texts).toEqual(['Seventy.', 'Seventy.', 'Seventy.']);
    expect(asked.answers.map(({ target, provider }) => [target, provider])).toEqual([
      [0, 'simulated'],
      [0, 'simulated'],
      [1, 'simulated_chat'],
    ]);
    const { branches } = await client.listBranches(id);
    expect(branches.find(({ name }) => name === 'main')?.tipId).toBe(reply);
    const tips = asked.answers.map(({ branchId }) => branches.find((branch) => branch.id === branchId)?.tipId ?? '');
    const { nodes } = await client.getSiblings(tips[0] ?? '');
    expect(nodes.map((node) => node.id).toSorted()).toEqual(tips.toSorted());
    expect(nodes.every(({ parentId }) => parentId === asked.nodeId)).toBe(true);
    for (const { model, branch } of asked.answers) expect(branch.startsWith(model)).toBe(true);
  });

  it('SV-701: "what would the others have said here" answers the message that is there, from it or its reply', async () => {
    const { client } = serverOn('files');
    const { id, user, reply } = await talk(client);
    await say(client, id, 'main', '/sim say And so on.');
    for (const fromNodeId of [user, reply]) {
      const asked = await ask(client, id, { fromNodeId, targets: [{ provider: 'simulated_gemini' }] });
      expect(asked).toMatchObject({ nodeId: user, texts: ['Forty metres.'], refused: [] });
    }
    expect((await client.getSiblings(reply)).nodes.length).toBe(3);
    await expect(client.ask(id, { targets: [{}] })).rejects.toMatchObject({ status: 422 });
    const { project } = await client.createProject({ name: 'Empty' });
    await expect(client.ask(project.id, { ref: 'main', targets: [{}] })).rejects.toMatchObject({
      code: 'nothing_to_regenerate',
    });
  });

  it('SV-702: a target that is refused is told, and the others answer; if all are, nothing is stored', async () => {
    const { client } = serverOn('files');
    const { id } = await talk(client);
    const targets = [{ provider: 'nobody' }, { preset: 'no such' }, { model: 'sim-thinker' }];
    const asked = await ask(client, id, { ref: 'main', message: '/sim say Yes.', targets });
    expect(asked.refused.map(({ target, count, code }) => [target, count, code])).toEqual([
      [0, 1, 'unknown_provider'],
      [1, 1, 'unknown_id'],
    ]);
    expect(asked.answers.map(({ target }) => target)).toEqual([2]);
    expect(asked.texts).toEqual(['Yes.']);
    const before = await namesOf(client, id);
    const { nodes } = await client.graph(id);
    await expect(
      client.ask(id, { ref: 'main', message: 'Hello?', targets: targets.slice(0, 2) }),
    ).rejects.toMatchObject({ code: 'unknown_provider', message: expect.stringMatching(/nobody.*no such/s) });
    expect(await namesOf(client, id)).toEqual(before);
    expect((await client.graph(id)).nodes.length).toBe(nodes.length);
    const many = [{ n: 8 }, { n: 8 }, { n: 1 }];
    await expect(client.ask(id, { ref: 'main', targets: many })).rejects.toMatchObject({ status: 422 });
  });

  it('SV-703: a repetition of the request begins nothing anew, also where only part of it had begun', async () => {
    const { client } = serverOn('files');
    const { id } = await talk(client);
    const request = { ref: 'main', message: '/sim say Once.', clientRequestId: 'the-one' };
    const first = await ask(client, id, { ...request, targets: [{}] });
    const again = await ask(client, id, { ...request, targets: [{ n: 2 }, { provider: 'simulated_chat' }] });
    expect(again.nodeId).toBe(first.nodeId);
    expect(again.answers[0]).toEqual(first.answers[0]);
    const third = await ask(client, id, { ...request, targets: [{ n: 2 }, { provider: 'simulated_chat' }] });
    expect(third.answers).toEqual(again.answers);
    expect((await namesOf(client, id)).length).toBe(1 + 3);
    const twins = await Promise.all(
      [1, 2].map(() => client.ask(id, { ...request, clientRequestId: 'twin', targets: [{}] })),
    );
    expect(new Set(twins.map(({ nodeId }) => nodeId)).size).toBe(1);
    expect((await namesOf(client, id)).length).toBe(1 + 3 + 1);
  });

  it('SV-704: the price is told before, target by target, and nothing is stored or sent', async () => {
    // A provider that could not be reached: an estimate needs none.
    const anthropic = { ANTHROPIC_API_KEY: 'sk-ant-simulated', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };
    const server = await startTestServer(anthropic);
    try {
      const { client } = server;
      const { id } = (await client.createProject({ provider: 'simulated', thinking: 'off' })).project;
      const dear = { provider: 'anthropic', model: 'claude-sonnet-5' };
      const targets = [{ ...dear, n: 3 }, {}, { provider: 'nobody', n: 2 }];
      const told = await client.askEstimate(id, { ref: 'main', message: 'How tall?', targets });
      const [three] = told.targets;
      expect(three).toMatchObject({ ...dear, n: 3, refused: null });
      expect(told.targets[1]).toMatchObject({ provider: 'simulated', n: 1, estimate: { mostCost: 0 } });
      expect(told.targets[2]).toMatchObject({ provider: null, estimate: null, refused: { code: 'unknown_provider' } });
      expect(told.mostCost).toBeCloseTo(3 * (three?.estimate?.mostCost ?? Number.NaN), 10);
      expect(told.mostCost).toBeGreaterThan(told.inputCost ?? Infinity);
      expect(told.unpriced).toBe(0);
      const longer = await client.askEstimate(id, { ref: 'main', message: 'How tall? '.repeat(500), targets });
      expect(longer.inputCost).toBeGreaterThan(told.inputCost ?? Infinity);
      expect((await client.graph(id)).nodes).toEqual([]);
    } finally {
      await server.dispose();
    }
  });
});

describe.each(STORES)('what is kept of the answers (%s)', (store) => {
  it('SV-705: the others go to the trash with their replies, and come back as they were', async () => {
    const { client } = serverOn(store);
    const { id, reply } = await talk(client);
    const asked = await ask(client, id, { ref: 'main', message: '/sim say Seventy.', targets: [{ n: 3 }] });
    const answers = asked.answers.map(({ branch }) => branch);
    const [first, second, third] = answers;
    const before = (await client.listBranches(id)).branches.map(({ name, tipId }) => `${name} ${tipId}`).toSorted();
    const { nodes } = await client.graph(id);
    const kept = await client.keepAnswers(id, { nodeId: asked.nodeId, answers, keep: [second ?? ''] });
    expect(kept.deleted.toSorted()).toEqual([first, third].toSorted());
    expect(await namesOf(client, id)).toEqual(['main', second].toSorted());
    expect((await client.graph(id)).nodes.length).toBe(nodes.length - 2);
    for (const trashId of kept.trashIds) await client.restoreTrash(trashId);
    expect((await client.listBranches(id)).branches.map(({ name, tipId }) => `${name} ${tipId}`).toSorted()).toEqual(
      before,
    );
    // None: the question was made for them, and goes with them.
    const none = await client.keepAnswers(id, { nodeId: asked.nodeId, answers, keep: [] });
    expect(await namesOf(client, id)).toEqual(['main']);
    expect((await client.graph(id)).nodes.map((node) => node.id)).toContain(reply);
    expect((await client.graph(id)).nodes.length).toBe(2);
    for (const trashId of none.trashIds) await client.restoreTrash(trashId);
    expect((await client.listBranches(id)).branches.map(({ name, tipId }) => `${name} ${tipId}`).toSorted()).toEqual(
      before,
    );
  });
});

describe('what is not decided about', () => {
  it('SV-706: a branch that is not named, one that went on and what another branch leads to stay', async () => {
    const { client } = serverOn('files');
    const { id, user, reply } = await talk(client);
    const asked = await ask(client, id, { fromNodeId: user, targets: [{ n: 3 }] });
    const [first = '', second = '', third = ''] = asked.answers.map(({ branch }) => branch);
    const { deleted } = await client.keepAnswers(id, { nodeId: user, answers: [second, second], keep: [] });
    expect(deleted).toEqual([second]);
    await say(client, id, first, 'Go on');
    const refused = (answers: string[], keep: string[], nodeId = user) =>
      expect(client.keepAnswers(id, { nodeId, answers, keep })).rejects.toMatchObject({ code: 'invalid_content' });
    await refused([first, third], []);
    await refused([third], ['main']);
    await refused([third], [], reply);
    const { branches } = await client.listBranches(id);
    const shared = branches.find(({ name }) => name === third)?.tipId ?? '';
    await client.createBranch(id, { fromNodeId: shared, name: 'from the third' });
    await client.keepAnswers(id, { nodeId: user, answers: [third], keep: [] });
    expect(await namesOf(client, id)).toEqual(['main', 'from the third', first].toSorted());
    const left = (await client.graph(id)).nodes.map((node) => node.id);
    expect(left).toEqual(expect.arrayContaining([user, reply, shared]));
  });

  it('SV-707: an answer that is still being made is not taken away', async () => {
    const { client } = serverOn('files');
    const { id } = await talk(client);
    const asked = await client.ask(id, { ref: 'main', message: '/sim fault stall 1', targets: [{ n: 2 }] });
    const answers = asked.answers.map(({ branchId }) => branchId);
    const none = { nodeId: asked.nodeId, answers, keep: [] };
    await expect(client.keepAnswers(id, none)).rejects.toMatchObject({ code: 'turn_running' });
    for (const { turnId } of asked.answers) await client.interrupt(id, { turnId });
    for (const { turnId } of asked.answers) await allLines(await client.turnStream(id, turnId, 0));
    await client.keepAnswers(id, none);
    expect(await namesOf(client, id)).toEqual(['main']);
  });
});
