import type { McpServerView } from '@bough/api';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handsSource } from './testing/hands.ts';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, say, startTestServer } from './testing/start.ts';
import type { Vendor } from './testing/vendor.ts';
import { startVendor } from './testing/vendor.ts';

const SECRET = 'header-secret-0123456789';

let dir: string;
let script: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-page-tools-'));
  script = join(dir, 'hands.mjs');
  await writeFile(script, handsSource());
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
async function start(file?: unknown): Promise<TestServer> {
  const server = await startTestServer({}, file);
  cleanUps.push(server.dispose);
  return server;
}

const hands = () => ({ command: process.execPath, args: [script] });
async function stateOf(server: TestServer, name: string): Promise<McpServerView | undefined> {
  return (await server.client.listMcpServers()).servers.find((each) => each.name === name);
}
async function until(server: TestServer, name: string, state: McpServerView['state']): Promise<McpServerView> {
  await expect.poll(async () => (await stateOf(server, name))?.state, { timeout: 20_000 }).toBe(state);
  const found = await stateOf(server, name);
  if (found === undefined) throw new Error(`There is no server ${name}.`);
  return found;
}
const toolNames = async (server: TestServer): Promise<readonly string[]> =>
  (await server.client.listTools()).tools.filter(({ source }) => source !== 'built-in').map(({ name }) => name);
const stored = async (server: TestServer): Promise<unknown> =>
  JSON.parse(await readFile(join(server.dataDir, 'page.config.json'), 'utf8'));

describe('tool servers of the settings page', () => {
  it('SV-55: one that is added connects, its tools run, and it is there after a restart', async () => {
    const server = await start();
    const { server: added } = await server.client.setMcpServer('hands', { ...hands(), env: { TOKEN: SECRET } });
    expect(added).toMatchObject({ name: 'hands', from: 'page', entry: { env: { TOKEN: null } } });
    const connected = await until(server, 'hands', 'connected');
    expect(connected.tools.map(({ name, ruleName, approval, rule }) => [name, ruleName, approval, rule])).toEqual([
      ['hands__quick', 'hands.quick', 'ask', null],
      ['hands__slow', 'hands.slow', 'ask', null],
    ]);
    await server.client.setApproval('hands.*', 'auto');
    const { project } = await server.client.createProject({ tools: ['hands__quick'] });
    const lines = await say(server.client, project.id, 'main', '/sim tools hands__quick');
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({ content: 'quick 1', isError: false });
    expect(await stored(server)).toEqual({
      mcpServers: { hands: { ...hands(), env: { TOKEN: SECRET } } },
      tools: { approval: { 'hands.*': 'auto' } },
    });
    const again = await server.restart();
    cleanUps.push(again.dispose);
    expect((await until(again, 'hands', 'connected')).tools[0]?.approval).toBe('auto');
  });

  it('SV-55: disabled, enabled, changed and removed, without a restart', async () => {
    const server = await start();
    await server.client.setMcpServer('hands', hands());
    await until(server, 'hands', 'connected');
    expect(await toolNames(server)).toEqual(['hands__quick', 'hands__slow']);
    await server.client.setMcpServer('hands', { ...hands(), disabled: true });
    await until(server, 'hands', 'disabled');
    expect(await toolNames(server)).toEqual([]);
    await server.client.setMcpServer('hands', hands());
    await until(server, 'hands', 'connected');
    await server.client.deleteMcpServer('hands');
    expect(await stateOf(server, 'hands')).toBeUndefined();
    expect(await toolNames(server)).toEqual([]);
    await expect(server.client.deleteMcpServer('hands')).rejects.toMatchObject({ status: 404 });
    await expect(server.client.reconnectMcpServer('hands')).rejects.toMatchObject({ status: 404 });
  });

  it('SV-55: a call that is running keeps the server that it runs on', async () => {
    const server = await start({ tools: { approval: { 'hands.*': 'auto' } } });
    await server.client.setMcpServer('hands', { ...hands(), env: { SLOW_MS: '1500' } });
    await until(server, 'hands', 'connected');
    const { project } = await server.client.createProject({ tools: ['hands__slow'] });
    const response = await server.client.chat(project.id, { ref: 'main', message: '/sim tools hands__slow' });
    await expect
      .poll(async () => (await server.client.history(project.id, { ref: 'main' })).groups[0]?.segments.length)
      .toBeGreaterThan(0);
    await server.client.deleteMcpServer('hands');
    const lines = await allLines(response);
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({ content: 'slow', isError: false });
    expect(endOf(lines).status).toBe('complete');
  });

  it('SV-55: reconnecting starts the program anew', async () => {
    const server = await start({ tools: { approval: { 'hands.*': 'auto' } } });
    await server.client.setMcpServer('hands', hands());
    await until(server, 'hands', 'connected');
    const { project } = await server.client.createProject({ tools: ['hands__quick'] });
    const count = async (): Promise<unknown> => {
      const lines = await say(server.client, project.id, 'main', '/sim tools hands__quick');
      return lines.find((line) => line.type === 'tool_result')?.content;
    };
    expect([await count(), await count()]).toEqual(['quick 1', 'quick 2']);
    const { server: again } = await server.client.reconnectMcpServer('hands');
    expect(again.state).toBe('connected');
    expect(await count()).toBe('quick 1');
  });

  it('SV-56: one that fails says why, in the list and in the log, and after another attempt', async () => {
    const server = await start();
    await server.client.setMcpServer('absent', { command: join(dir, 'no-such-program') });
    expect((await until(server, 'absent', 'failed')).problem).toContain('ENOENT');
    const { server: again } = await server.client.reconnectMcpServer('absent');
    expect(again).toMatchObject({ state: 'failed', problem: expect.stringContaining('ENOENT'), tools: [] });
    expect(server.logged().some((line) => line.includes('"mcp"') && line.includes('ENOENT'))).toBe(true);
  });

  it('SV-56: a server that quotes the header, the query and the variables is not repeated', async () => {
    const vendor: Vendor = await startVendor();
    cleanUps.push(vendor.close);
    const said = `no entry for ${SECRET} and query-secret-987654`;
    vendor.answerTo(() => ({ status: 401, type: 'text/plain', body: said }));
    const server = await start();
    const url = `${vendor.url}/mcp?key=query-secret-987654`;
    const headers = { authorization: `Bearer ${SECRET}` };
    const { server: added } = await server.client.setMcpServer('remote', { url, headers });
    expect(added.entry).toEqual({ url: `${vendor.url}/mcp?…`, headers: { authorization: null } });
    const failed = await until(server, 'remote', 'failed');
    expect(failed.problem).toContain('no entry for [redacted]');
    expect(vendor.asked()[0]?.authorization).toBe(`Bearer ${SECRET}`);
    const seen = JSON.stringify([added, await server.client.listMcpServers(), server.logged()]);
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain('query-secret');
  });

  it('SV-54: values of variables, headers and queries are kept unseen, and not for another address', async () => {
    const server = await start();
    const kept = async (): Promise<unknown> => ((await stored(server)) as { mcpServers: unknown }).mcpServers;
    const url = 'http://127.0.0.1:9/mcp?key=query-secret';
    await server.client.setMcpServer('remote', { url, headers: { 'x-key': SECRET }, disabled: true });
    const shown = (await stateOf(server, 'remote'))?.entry;
    if (shown === undefined || !('url' in shown)) throw new Error('The entry has no address.');
    await server.client.setMcpServer('remote', { ...shown, headers: { 'x-key': null, 'x-new': 'y' } });
    expect(await kept()).toEqual({ remote: { url, headers: { 'x-key': SECRET, 'x-new': 'y' }, disabled: true } });
    await expect(
      server.client.setMcpServer('remote', { url: 'http://127.0.0.1:10/mcp', headers: { 'x-key': null } }),
    ).rejects.toMatchObject({ status: 422, extra: { field: 'headers.x-key' } });
    await expect(server.client.setMcpServer('other', shown)).rejects.toMatchObject({ extra: { field: 'url' } });
    await server.client.setMcpServer('local', { command: 'x', env: { A: SECRET }, disabled: true });
    await server.client.setMcpServer('local', { command: 'y', env: { A: null }, disabled: true });
    expect(await kept()).toMatchObject({ local: { command: 'y', env: { A: SECRET } } });
    expect(JSON.stringify(await server.client.listMcpServers())).not.toMatch(/secret/);
  });

  it.each<[string, unknown, string]>([
    ['nothing', {}, 'command'],
    ['an empty command', { command: '' }, 'command'],
    ['NUL', { command: 'a\0b' }, 'command'],
    ['arguments that are no list', { command: 'a', args: 'b' }, 'args'],
    ['an address that is none', { url: 'mcp' }, 'url'],
    ['a file', { url: 'file:///etc/passwd' }, 'url'],
    ['a password in the address', { url: 'https://me:pass@x/mcp' }, 'url'],
    ['a header that is none', { url: 'https://x/mcp', headers: { 'a b': 'c' } }, 'headers.a b'],
    ['two lines in a header', { url: 'https://x/mcp', headers: { a: 'b\r\nc: d' } }, 'headers.a'],
    ['both', { command: 'a', url: 'https://x/mcp' }, 'url'],
    ['an unknown field', { command: 'a', shell: true }, 'shell'],
  ])('SV-52: a tool server with %s is refused, with the field', async (_, draft, field) => {
    const server = await start();
    const sent = server.client.setMcpServer('x', draft as { command: string });
    await expect(sent).rejects.toMatchObject({ status: 422, extra: { field } });
    expect((await server.client.listMcpServers()).servers).toEqual([]);
  });

  it('SV-53: a server of the configuration file is shown, and cannot be changed here', async () => {
    const server = await start({ mcpServers: { hands: { ...hands(), env: { TOKEN: SECRET } } } });
    const found = await until(server, 'hands', 'connected');
    expect(found).toMatchObject({ from: 'file', entry: { env: { TOKEN: null } } });
    const refused = { status: 409, code: 'set_in_file' };
    await expect(server.client.setMcpServer('hands', { command: 'other' })).rejects.toMatchObject(refused);
    await expect(server.client.deleteMcpServer('hands')).rejects.toMatchObject(refused);
    expect((await server.client.reconnectMcpServer('hands')).server.state).toBe('connected');
  });
});

describe('approval rules', () => {
  it('SV-57: those of the page count where the file says nothing about a tool', async () => {
    const approval = { calculator: 'ask', 'search*': 'never' };
    const server = await start({ tools: { approval } });
    const policies = async (): Promise<Record<string, unknown>> => {
      const { builtIn } = await server.client.listMcpServers();
      return Object.fromEntries(builtIn.map((tool) => [tool.name, [tool.approval, tool.rule?.from ?? null]]));
    };
    const before = await policies();
    expect(before).toMatchObject({ calculator: ['ask', 'file'], current_time: ['auto', null] });
    const searching = Object.keys(before).find((name) => name.startsWith('search')) ?? 'none';
    await server.client.setApproval('current_time', 'never');
    await server.client.setApproval('calc*', 'auto');
    await server.client.setApproval(searching, 'auto');
    await expect(server.client.setApproval('calculator', 'auto')).rejects.toMatchObject({ code: 'set_in_file' });
    expect(await policies()).toMatchObject({
      calculator: ['ask', 'file'],
      current_time: ['never', 'page'],
      [searching]: ['never', 'file'],
    });
    const { project } = await server.client.createProject({ tools: ['current_time'] });
    const lines = await say(server.client, project.id, 'main', '/sim tools current_time');
    expect(lines.find((line) => line.type === 'tool_result')).toMatchObject({
      isError: true,
      content: expect.stringContaining('not allowed'),
    });
    await server.client.setApproval('current_time', null);
    expect(await policies()).toMatchObject({ current_time: ['auto', null] });
    expect((await server.client.listMcpServers()).rules).toContainEqual({
      pattern: 'calc*',
      policy: 'auto',
      from: 'page',
    });
  });
});
