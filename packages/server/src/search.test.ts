import { afterEach, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

let server: TestServer;
afterEach(() => server.dispose());

const snippetOf = (parts: readonly { text: string; hit: boolean }[]): string =>
  parts.map(({ text, hit }) => (hit ? `[${text}]` : text)).join('');

describe.each(['files', 'git', 'postgres'] as const)('search, on %s', (store) => {
  it('SV-180: finds messages, files and names in all projects, with the branch that leads there', async () => {
    server = await startTestServer({ BOUGH_STORE: store });
    const { client } = server;
    const { project: sky } = await client.createProject({ name: 'Sky colours' });
    const { project: sea } = await client.createProject({ name: 'Sea' });
    const lines = await say(client, sky.id, 'main', 'Why is Räyleigh scattering blue?');
    const { block } = await client.uploadBlob('waves.txt', new TextEncoder().encode('All about rayleigh waves.'));
    await say(client, sea.id, 'main', [{ type: 'text', text: 'Read this' }, block]);
    await expect.poll(async () => (await client.search({ q: 'rayleigh role:user' })).hits.length).toBe(2);

    const { hits, cursor, indexing } = await client.search({ q: 'rayleigh role:user' });
    expect({ cursor, indexing }).toEqual({ cursor: null, indexing: false });
    expect(hits).toMatchObject([
      { kind: 'node', projectName: 'Sea', branchName: 'main', role: 'user', archived: false, hidden: false },
      { kind: 'node', projectId: sky.id, branchName: 'main', nodeId: endOf(lines).nodeIds[0] },
    ]);
    expect(hits[0]?.matches).toMatchObject([{ where: 'file', file: 'waves.txt' }]);
    expect(snippetOf(hits[0]?.matches[0]?.snippet ?? [])).toBe('All about [rayleigh] waves.');
    expect(snippetOf(hits[1]?.matches[0]?.snippet ?? [])).toBe('Why is [Räyleigh] scattering blue?');

    const names = await client.search({ q: 'colour' });
    expect(names.hits[0]).toMatchObject({ kind: 'project', projectId: sky.id, nodeId: null });
    expect((await client.search({ q: 'rayleigh', project: sky.id, role: 'user' })).hits.length).toBe(1);
    expect((await client.search({ has: 'file' })).hits.length).toBe(1);
    expect((await client.search({ q: 'rayleigh', project: sky.id, branch: 'main', role: 'user' })).hits.length).toBe(1);
    const first = await client.search({ q: 'rayleigh', limit: 1 });
    expect(first.hits.length).toBe(1);
    const second = await client.search({ q: 'rayleigh', limit: 1, cursor: first.cursor ?? '' });
    expect(second.hits[0]?.nodeId).not.toBe(first.hits[0]?.nodeId);
  });
});

describe('search over HTTP', () => {
  it('SV-181: what cannot be answered is refused with a sentence that says what to do', async () => {
    server = await startTestServer({ BOUGH_STORE: 'files' });
    const { client } = server;
    for (const [query, told] of [
      [{ q: 'role:robot' }, 'Roles are system, user, assistant, tool'],
      [{ q: 'x is:shiny' }, 'There are has:file, is:starred'],
      [{ q: 'x', from: 'soon' }, 'not a date'],
      [{ q: '  ' }, 'Nothing to look for'],
      [{ q: 'x', branch: 'main' }, 'A branch belongs to a project'],
      [{ q: 'x', cursor: 'nonsense' }, 'Search again'],
    ] as const)
      await expect(client.search(query)).rejects.toMatchObject({
        status: 400,
        code: 'invalid_search',
        message: expect.stringContaining(told) as string,
      });
    await expect(client.search({ q: 'x', project: 'nobody' })).rejects.toMatchObject({
      status: 404,
      code: 'unknown_id',
    });
  });

  it('SV-182: a search needs the token, like everything else', async () => {
    server = await startTestServer({ BOUGH_STORE: 'files', BOUGH_TOKEN: 'a-token-of-the-test' });
    const { project } = await server.client.createProject({ name: 'Hidden treasure' });
    expect((await server.client.search({ q: 'treasure' })).hits.length).toBe(1);
    const response = await fetch(`${server.url}/api/search?q=treasure`);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain(project.id);
  });
});
