import { afterAll, beforeAll, expect, it } from 'vitest';
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
  const { nodeIds } = endOf(await say(client, project.id, 'main', '/sim say Oaks grow to forty metres.'));
  const [user = '', reply = ''] = nodeIds;
  const asking = { nodeId: reply, quote: 'forty metres', question: 'Which quokka measured it?' };
  return { client, id: project.id, user, reply, asking };
}

async function answered(id: string, turnId: string | null) {
  if (turnId !== null) await allLines(await server.client.turnStream(id, turnId, 0));
  return (await server.client.listQuestions(id)).questions;
}

it('SV-760: a question runs on a hidden branch; the branch that it is about stays as it is', async () => {
  const { client, id, reply, asking } = await talk();
  const before = (await client.getProject(id)).branches.find(({ name }) => name === 'main');
  const clientRequestId = 'once';
  const { question } = await client.askAbout(id, { ...asking, clientRequestId });
  const again = await client.askAbout(id, { ...asking, clientRequestId });
  expect(again.question.branchId).toBe(question.branchId);
  const [asked, ...others] = await answered(id, question.turnId);
  expect(others).toEqual([]);
  expect(asked).toMatchObject({ ...asking, status: 'complete', hidden: true });
  expect(asked?.answer).not.toBe('');
  const { branches } = await client.getProject(id);
  expect(branches.find(({ name }) => name === 'main')?.tipId).toBe(before?.tipId);
  expect(branches.find(({ id: each }) => each === question.branchId)).toMatchObject({ hidden: true });
  expect(question.branch).toContain('q/');
  // The next message of the branch has no other version because of it.
  await say(client, id, 'main', 'Go on');
  const { groups } = await client.history(id, { ref: 'main' });
  expect(groups.at(-1)?.user?.siblingIds.length).toBeLessThan(2);
  expect((await client.listQuestions(id, [reply])).questions.length).toBe(1);
  expect((await client.listQuestions(id, ['nobody'])).questions).toEqual([]);
  const hits = (await client.search({ q: 'quokka', project: id })).hits;
  expect(hits.some(({ nodeId }) => nodeId === reply)).toBe(true);
});

it('SV-761: a deleted question is in the trash with its branch, and comes back to its words', async () => {
  const { client, id, asking } = await talk();
  const { question } = await client.askAbout(id, { ...asking, before: 'grow to ' });
  const [asked] = await answered(id, question.turnId);
  const { trashId } = await client.deleteQuestion(id, question.branchId);
  expect((await client.listQuestions(id)).questions).toEqual([]);
  expect((await client.search({ q: 'has:question', project: id })).hits).toEqual([]);
  await client.restoreTrash(trashId);
  expect((await client.listQuestions(id)).questions).toEqual([asked]);
});

it('SV-764: a question that was deleted for good is in no list of what is kept beside messages', async () => {
  const { client, id, reply, asking } = await talk();
  const { question } = await client.askAbout(id, asking);
  await answered(id, question.turnId);
  await client.annotateNode(id, reply, { star: true });
  const listed = async () => {
    const all = await client.listAnnotations({ project: id });
    const beside = await client.projectAnnotations(id);
    const kinds = all.annotations.map(({ kind }) => kind).sort();
    return { total: all.total, kinds, beside: beside.annotations.map(({ kind }) => kind).sort() };
  };
  expect(await listed()).toEqual({ total: 2, kinds: ['question', 'star'], beside: ['question', 'star'] });
  const { trashId } = await client.deleteQuestion(id, question.branchId);
  const without = { total: 1, kinds: ['star'], beside: ['star'] };
  expect(await listed()).toEqual(without);
  await client.purgeTrash(trashId);
  expect(await listed()).toEqual(without);
});

it('SV-762: what cannot be asked is refused, and nothing is stored; an answer that is made again is told', async () => {
  const { client, id, user, asking } = await talk();
  const refused = (work: Promise<unknown>, code: string) => expect(work).rejects.toMatchObject({ code });
  await refused(client.askAbout(id, { ...asking, nodeId: 'nobody' }), 'unknown_id');
  await refused(client.askAbout(id, { ...asking, nodeId: user }), 'not_a_reply');
  await refused(client.askAbout(id, { ...asking, question: ' ' }), 'invalid_question');
  await refused(client.deleteQuestion(id, 'main'), 'no_question');
  expect((await client.getProject(id)).branches.length).toBe(1);
  const { question } = await client.askAbout(id, asking);
  await answered(id, question.turnId);
  const { turns } = await client.regenerate(id, { ref: question.branchId, nodeId: question.messageId });
  const [asked] = await answered(id, turns[0]?.turnId ?? null);
  expect(asked).toMatchObject({ status: 'complete', turnId: turns[0]?.turnId });
});

it('SV-763: a branch that ResearchTree would show as a question is one, without anything kept beside the reply', async () => {
  const { client, id, reply, asking } = await talk();
  await client.createBranch(id, { name: 'q/forty', fromNodeId: reply });
  await say(client, id, 'q/forty', 'Highlighted passage:\n"""forty metres"""\n\nQuestion:\nHow old?');
  await client.createBranch(id, { name: 'q/other', fromNodeId: reply });
  await say(client, id, 'q/other', 'An ordinary message');
  const { questions } = await client.listQuestions(id);
  expect(questions).toMatchObject([
    { nodeId: reply, quote: asking.quote, question: 'How old?', branch: 'q/forty', status: 'complete' },
  ]);
});
