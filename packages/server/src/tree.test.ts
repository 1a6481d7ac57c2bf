import { describe, expect, it } from 'vitest';
import { ask } from './testing/ask.ts';
import { STORES, useServers } from './testing/on-each-store.ts';
import type { TestServer } from './testing/start.ts';

const on = useServers();

async function refusal(server: TestServer, method: string, path: string, body: unknown) {
  const headers = { 'content-type': 'application/json' };
  const answer = await ask(`${server.url}/api${path}`, { method, headers, body: JSON.stringify(body) });
  const problem = JSON.parse(answer.body) as { code: string; detail: string; extra?: { field?: string } };
  return { status: answer.status, code: problem.code, detail: problem.detail, field: problem.extra?.field };
}

describe.each(STORES)('the tree over HTTP, on %s', (store) => {
  it('EN-47: begins a conversation at the root of an empty project, and finds it again', async () => {
    const { client } = on(store);
    const { project } = await client.createProject({});
    const said = await client.appendMessages(project.id, { content: 'Why is the sky blue?', ref: 'main' });
    const [first] = said.nodes;
    expect(said).toMatchObject({ nodeIds: [first?.id], created: [first?.id], tipId: first?.id });
    expect(first).toMatchObject({ parentId: null, role: 'user', content: 'Why is the sky blue?', turnId: null });
    expect((await client.getProject(project.id)).branches[0]?.tipId).toBe(first?.id);

    const messages = [
      { role: 'user' as const, content: 'Why is the sky blue?' },
      { role: 'assistant' as const, content: 'Because of scattering.' },
    ];
    const again = await client.appendMessages(project.id, { messages });
    expect(again.nodes.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(again.nodeIds).toEqual(again.nodes.map(({ id }) => id));
    expect(again.nodes[0]).toEqual(first);
    expect(again.created).toEqual([again.nodes[1]?.id]);
    expect((await client.getNode(again.nodes[1]?.id ?? '')).node).toEqual(again.nodes[1]);
  });

  it('EN-47: drops empty messages without shifting the others; with nothing else, nothing is stored', async () => {
    const { client } = on(store);
    const { project } = await client.createProject({});
    const { nodes, nodeIds, created, tipId } = await client.appendMessages(project.id, {
      messages: [
        { role: 'user', content: ' \n' },
        { role: 'user', content: 'A' },
        { role: 'assistant', content: '' },
        { role: 'assistant', content: 'B' },
      ],
    });
    expect(nodes.map(({ content }) => content)).toEqual(['A', 'B']);
    expect(nodeIds).toEqual([null, nodes[0]?.id, null, nodes[1]?.id]);
    expect(created).toEqual(nodes.map(({ id }) => id));
    expect(nodes[1]?.parentId).toBe(nodes[0]?.id);
    const none = await client.appendMessages(tipId ?? '', { content: '' });
    expect(none).toEqual({ nodes: [], nodeIds: [null], created: [], tipId });
    expect((await client.graph(project.id)).nodes).toHaveLength(2);
  });

  it('EN-47: names the siblings of what it found and of what it made', async () => {
    const { client } = on(store);
    const { project } = await client.createProject({});
    const [one] = (await client.appendMessages(project.id, { content: 'one' })).nodes;
    const [two] = (await client.appendMessages(project.id, { content: 'two' })).nodes;
    expect(two?.siblingIds).toEqual([one?.id, two?.id]);
  });

  it('EN-47: an id that is neither a node nor a project is an unknown node, and text is all that is taken', async () => {
    const server = on(store);
    const { project } = await server.client.createProject({});
    expect(await refusal(server, 'POST', '/nodes/nobody/append', { content: 'x' })).toMatchObject({
      status: 404,
      code: 'unknown_id',
      detail: 'There is no node with the id "nobody".',
    });
    const content = [{ type: 'tool-use', id: 'a', name: 'b', parameters: {} }];
    expect(await refusal(server, 'POST', `/nodes/${project.id}/append`, { content })).toMatchObject({
      status: 422,
      code: 'invalid_content',
    });
    for (const body of [{}, { content: 'x', messages: [{ role: 'user', content: 'x' }] }])
      expect((await refusal(server, 'POST', `/nodes/${project.id}/append`, body)).detail).toContain('either');
  });

  it('EN-48: another wording is a sibling; the node, what follows it and the tip stay', async () => {
    const { client } = on(store);
    const { project } = await client.createProject({});
    const { nodes } = await client.appendMessages(project.id, {
      messages: [
        { role: 'user', content: 'A' },
        { role: 'assistant', content: 'B' },
      ],
      ref: 'main',
    });
    const [user, reply] = nodes;
    const { node } = await client.editContent(user?.id ?? '', 'A, better');
    expect(node).toMatchObject({ role: 'user', parentId: null, content: 'A, better' });
    expect((await client.getNode(user?.id ?? '')).node).toEqual({ ...user, siblingIds: [user?.id, node.id] });
    expect((await client.getNode(reply?.id ?? '')).node).toEqual(reply);
    expect((await client.getProject(project.id)).branches[0]?.tipId).toBe(reply?.id);
  });
});

describe('requests that do not fit', () => {
  it('SV-43: an unknown key is named, also inside a value of several forms', async () => {
    const server = on('files');
    const { project } = await server.client.createProject({});
    const chat = `/projects/${project.id}/chat`;
    for (const [path, body, field] of [
      [chat, { ref: 'main', message: 'x', surprise: 1 }, 'surprise'],
      [chat, { ref: 'main', message: 'x', thinking: { budgetTokens: 1024, effort: 'high' } }, 'thinking.effort'],
      [`/nodes/${project.id}/append`, { messages: [{ role: 'user', content: 'x', name: 'y' }] }, 'messages.0.name'],
      [`/projects/${project.id}/context`, { ref: 'main', target: { thinking: { level: 1 } } }, 'target.thinking'],
    ] as const) {
      const problem = await refusal(server, 'POST', path, body);
      expect(problem, field).toMatchObject({ status: 422, code: 'invalid_request' });
      expect(problem.field).toContain(field);
      expect(problem.detail).toContain(field);
    }
  });

  it('SV-43: a value that fits none of several forms says what they are', async () => {
    const server = on('files');
    const { project } = await server.client.createProject({});
    const body = { ref: 'main', message: 'x', thinking: 'hihg' };
    const { field, detail } = await refusal(server, 'POST', `/projects/${project.id}/chat`, body);
    expect(field).toBe('thinking');
    expect(detail).toMatch(/"high".*object/);
  });

  it('SV-43: a key of any length gets a short answer', async () => {
    const server = on('files');
    const problem = await refusal(server, 'POST', '/projects', { ['k'.repeat(100_000)]: 1 });
    expect(problem.detail.length).toBeLessThan(1000);
  });
});
