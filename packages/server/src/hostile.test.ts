import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  project = (await server.client.createProject({ name: 'target' })).project.id;
});
afterAll(() => server.dispose());

async function send(
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  type = 'application/json',
): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': type },
    ...(body === undefined ? {} : { body }),
  });
}

/** A 4xx with a code, no stack, no path of this machine. */
async function expectRefusal(response: Response): Promise<void> {
  const text = await response.text();
  expect(response.status, text).toBeGreaterThanOrEqual(400);
  expect(response.status, text).toBeLessThan(500);
  expect(JSON.parse(text)).toMatchObject({
    code: expect.stringMatching(/^[a-z_]+$/),
    detail: expect.any(String),
    status: response.status,
  });
  expect(text).not.toMatch(/\.ts:|\.js:|node_modules|at async/);
}

const BODY_ROUTES = (id: string): readonly [string, string][] => [
  ['POST', '/api/projects'],
  ['PATCH', `/api/projects/${id}`],
  ['POST', `/api/projects/${id}/branches`],
  ['PATCH', `/api/projects/${id}/branches/main`],
  ['POST', `/api/projects/${id}/chat`],
  ['POST', `/api/projects/${id}/edit`],
  ['POST', `/api/projects/${id}/regenerate`],
  ['POST', `/api/projects/${id}/continue`],
  ['POST', `/api/projects/${id}/interrupt`],
  ['POST', `/api/projects/${id}/approve`],
  ['POST', `/api/projects/${id}/context`],
  ['POST', `/api/projects/${id}/context/report`],
  ['PUT', `/api/projects/${id}/nodes/x/thinking`],
  ['POST', '/api/nodes/x/append'],
  ['PUT', '/api/nodes/x/content'],
  ['PUT', '/api/providers/anthropic/key'],
  ['PUT', '/api/defaults'],
  ['PUT', '/api/deployments/lab'],
  ['PUT', '/api/mcp-servers/x'],
  ['PUT', '/api/approval'],
];

describe('hostile input', () => {
  it.each([
    ['not JSON', '{'],
    ['an empty body', ''],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['a list', '[]'],
    ['a number', '42'],
    ['null', 'null'],
    ['deep nesting', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['an unknown field', '{"surprise":true}'],
  ])('SV-8: %s is a 4xx with a code on every route that takes a body', async (_, body) => {
    for (const [method, path] of BODY_ROUTES(project)) await expectRefusal(await send(method, path, body));
  });

  it('SV-9: random JSON never makes a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...BODY_ROUTES(project)),
        fc.json({ maxDepth: 4 }),
        async ([method, path], body) => {
          const response = await send(method, path, body);
          await response.body?.cancel();
          expect(response.status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    '/api/projects/nobody',
    '/api/projects/..%2f..%2fetc/history?ref=main',
    '/api/nodes/%00',
    '/api/nodes/nobody/path',
    '/api/projects/nobody/graph',
    '/api/nothing',
    '/api/projects/%ff',
  ])('SV-10: wrong ids and path tricks are refused: %s', async (path) =>
    expectRefusal(await send('GET', path, undefined)),
  );

  it('SV-10: no file outside the page is served', async () => {
    for (const path of [
      '/..%2f..%2f..%2fetc%2fpasswd',
      '/%2e%2e/%2e%2e/package.json',
      '/assets/../../package.json',
      '/..\\..\\package.json',
    ]) {
      expect(await (await fetch(`${server.url}${path}`)).text()).not.toMatch(/root:|"workspaces"/);
    }
  });

  it('SV-11: a body over the limit is refused', async () => {
    await expectRefusal(
      await send(
        'POST',
        `/api/projects/${project}/chat`,
        JSON.stringify({ ref: 'main', message: 'x'.repeat(9_000_000) }),
      ),
    );
    await expectRefusal(
      await send(
        'POST',
        `/api/projects/${project}/chat`,
        JSON.stringify({ ref: 'main', message: 'x'.repeat(1_500_000) }),
      ),
    );
  });

  it('SV-12: messages hold text only: tool calls, thinking and emptiness are refused with the reason', async () => {
    for (const message of [
      [{ type: 'tool-use', id: 'a', name: 'b', parameters: {} }],
      [{ type: 'thinking', thinking: 'x' }],
      '  ',
      [],
    ]) {
      await expectRefusal(
        await send('POST', `/api/projects/${project}/chat`, JSON.stringify({ ref: 'main', message })),
      );
    }
    const refused = await send(
      'POST',
      `/api/projects/${project}/chat`,
      JSON.stringify({ ref: 'main', message: [{ type: 'tool-use', id: 'a', name: 'b', parameters: {} }] }),
    );
    expect(await refused.json()).toMatchObject({
      code: 'invalid_content',
      detail: expect.stringContaining('tool-use'),
    });
  });

  it('SV-13: a client that does not read holds nobody up', async () => {
    const stalled = await server.client.chat(project, { ref: 'main', message: '/sim long 400000' });
    const { project: other } = await server.client.createProject({});
    const lines = await (await server.client.chat(other.id, { ref: 'main', message: 'hello' })).text();
    expect(lines).toContain('"done"');
    await expect
      .poll(async () => (await server.client.history(project, { ref: 'main' })).groups.at(-1)?.status, {
        timeout: 60_000,
      })
      .toBe('complete');
    await stalled.body?.cancel();
  });

  it('SV-14: after all of this the server answers and has failed at nothing', async () => {
    expect((await server.client.health()).status).toBe('ok');
    expect(server.logged().filter((line) => line.includes('request_failed'))).toEqual([]);
  });
});
