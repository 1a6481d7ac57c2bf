import type { DeploymentInput } from '@bough/api';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from './config/index.ts';
import { ask, codeOf } from './testing/ask.ts';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, say, shown, startTestServer } from './testing/start.ts';
import type { Vendor } from './testing/vendor.ts';
import { startVendor } from './testing/vendor.ts';

const SECRET = 'gateway-secret-0123456789';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
async function start(env: Readonly<Record<string, string>> = {}, file?: unknown, dir?: string): Promise<TestServer> {
  const server = await startTestServer(env, file, dir);
  cleanUps.push(server.dispose);
  return server;
}
async function vendor(): Promise<Vendor> {
  const started = await startVendor();
  cleanUps.push(started.close);
  return started;
}

const lab = (more: DeploymentInput = {}): DeploymentInput => ({
  label: 'Our lab',
  protocol: 'openai-chat',
  baseUrl: `${simulator.url}/v1`,
  models: ['sim-plain'],
  ...more,
});
const pageFile = (server: TestServer): string => join(server.dataDir, 'page.config.json');
const stored = async (server: TestServer): Promise<unknown> => JSON.parse(await readFile(pageFile(server), 'utf8'));
async function talk(server: TestServer, provider: string): Promise<string> {
  const { project } = await server.client.createProject({ provider });
  return endOf(await say(server.client, project.id, 'main', 'hi')).status;
}

describe('deployments of the settings page', () => {
  it('SV-51: one that is added answers at once and after a restart; changed and removed likewise', async () => {
    const server = await start();
    await server.client.setDeployment('lab', lab());
    expect(await stored(server)).toEqual({ providers: { lab: lab() } });
    expect((await stat(pageFile(server))).mode & 0o777).toBe(0o600);
    const { providers } = await server.client.listProviders();
    expect(providers.find(({ id }) => id === 'lab')).toMatchObject({
      label: 'Our lab',
      from: 'page',
      ready: true,
      keySource: 'not_needed',
    });
    expect(await talk(server, 'lab')).toBe('complete');

    const again = await server.restart();
    cleanUps.push(again.dispose);
    expect(await talk(again, 'lab')).toBe('complete');
    await again.client.setDeployment(
      'lab',
      lab({ label: 'The other lab', models: ['sim-plain', { id: 'big', window: 9_000 }] }),
    );
    const { deployments, pageFile: path, file, locked } = await again.client.listDeployments();
    expect(deployments).toEqual([
      { id: 'lab', from: 'page', alsoInPage: false, entry: expect.objectContaining({ label: 'The other lab' }) },
    ]);
    expect([path, file, locked]).toEqual([pageFile(again), null, false]);
    await again.client.deleteDeployment('lab');
    await expect(talk(again, 'lab')).rejects.toMatchObject({ status: 404, code: 'unknown_provider' });
    expect(await stored(again)).toEqual({ providers: {} });
  });

  it('SV-51: a reply that is under way keeps the deployment that it began with', async () => {
    const server = await start();
    await server.client.setDeployment('lab', lab());
    const { project } = await server.client.createProject({ provider: 'lab' });
    const message = '/sim slow 20 /sim say one two three four five';
    const response = await server.client.chat(project.id, { ref: 'main', message });
    await server.client.deleteDeployment('lab');
    const lines = await allLines(response);
    expect(endOf(lines).status).toBe('complete');
    expect(shown(lines, 'text')).toBe('one two three four five');
  });

  it('SV-51: its key is sealed for its address, and goes with it', async () => {
    const server = await start();
    const [own, other] = [await vendor(), await vendor()];
    await server.client.setDeployment('lab', lab({ baseUrl: `${own.url}/v1` }));
    await server.client.setProviderKey('lab', 'sk-lab-0123456789');
    await talk(server, 'lab');
    expect(own.asked().at(-1)?.authorization).toBe('Bearer sk-lab-0123456789');
    await server.client.setDeployment('lab', lab({ baseUrl: `${other.url}/v1` }));
    const { providers } = await server.client.listProviders();
    expect(providers.find(({ id }) => id === 'lab')).toMatchObject({ keySource: 'other_address' });
    expect(other.asked()).toEqual([]);
    await server.client.deleteDeployment('lab');
    await server.client.setDeployment('lab', lab({ baseUrl: `${own.url}/v1` }));
    await talk(server, 'lab');
    expect(own.asked().at(-1)?.authorization).toBeUndefined();
    expect(JSON.stringify(await stored(server))).not.toContain('sk-lab');
  });

  it.each<[string, string, DeploymentInput]>([
    ['no address', 'baseUrl', { models: ['m'] }],
    ['an address that is none', 'baseUrl', { baseUrl: 'lab', models: ['m'] }],
    ['a password in the address', 'baseUrl', { baseUrl: 'https://me:pass@lab/v1', models: ['m'] }],
    ['no model', 'models', { baseUrl: 'http://127.0.0.1:1/v1' }],
    ['a nameless model', 'models.0', { baseUrl: 'http://127.0.0.1:1/v1', models: [''] }],
    ['an unknown fact of a model', 'models.0.windw', { baseUrl: 'http://x/v1', models: [{ id: 'm', windw: 1 }] }],
    ['an unknown quirk', 'quirks', { baseUrl: 'http://x/v1', models: ['m'], quirks: { resoning: 'x' } }],
    [
      'a header without a value',
      'headers.x-key',
      { baseUrl: 'http://x/v1', models: ['m'], headers: { 'x-key': null } },
    ],
  ])('SV-52: %s is refused as in the file, with the field %s', async (_, field, draft) => {
    const server = await start();
    await expect(server.client.setDeployment('lab', draft)).rejects.toMatchObject({
      status: 422,
      code: 'invalid_configuration',
      extra: { field },
    });
    expect((await server.client.listDeployments()).deployments).toEqual([]);
    await expect(readFile(pageFile(server))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('SV-52: a name that is taken is refused, and so is a variable of the environment', async () => {
    const server = await start({ OPENAI_API_KEY: 'sk-environment-0123456789' });
    for (const id of ['anthropic', 'simulated', 'simulated_mine']) {
      await expect(server.client.setDeployment(id, lab())).rejects.toMatchObject({ status: 409, code: 'built_in' });
    }
    const stolen = { ...lab(), apiKeyEnv: 'OPENAI_API_KEY' } as DeploymentInput;
    await expect(server.client.setDeployment('lab', stolen)).rejects.toMatchObject({
      status: 422,
      extra: { field: 'apiKeyEnv' },
    });
    for (const id of ['__proto__', 'a b', '-', 'ü', 'x'.repeat(65)])
      await expect(server.client.setDeployment(id, lab())).rejects.toMatchObject({ status: 422 });
    for (const id of ['constructor', 'toString', 'hasOwnProperty'])
      await expect(server.client.deleteDeployment(id)).rejects.toMatchObject({ status: 404 });
  });

  it('SV-53: the configuration file decides where both have an entry, and the page cannot change it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bough-server-'));
    const page = { providers: { lab: lab({ label: 'of the page' }), own: lab({ label: 'own' }) } };
    await writeFile(join(dir, 'page.config.json'), JSON.stringify(page), { mode: 0o600 });
    const file = { providers: { lab: { ...lab(), label: 'of the file', headers: { 'x-key': SECRET } } } };
    const server = await start({}, file, dir);
    const labelOf = async (id: string): Promise<unknown> =>
      (await server.client.listProviders()).providers.find((provider) => provider.id === id);
    expect(await labelOf('lab')).toMatchObject({ label: 'of the file', from: 'file' });
    expect(await labelOf('own')).toMatchObject({ label: 'own', from: 'page' });
    const { deployments } = await server.client.listDeployments();
    expect(deployments.map(({ id, from, alsoInPage }) => [id, from, alsoInPage])).toEqual([
      ['lab', 'file', true],
      ['own', 'page', false],
    ]);
    expect(JSON.stringify(deployments)).not.toContain(SECRET);
    await expect(server.client.setDeployment('lab', lab())).rejects.toMatchObject({ status: 409, code: 'set_in_file' });
    await server.client.deleteDeployment('lab');
    expect(await labelOf('lab')).toMatchObject({ label: 'of the file' });
    await expect(server.client.deleteDeployment('lab')).rejects.toMatchObject({ status: 409, code: 'set_in_file' });
    expect(await stored(server)).toEqual({ providers: { own: page.providers.own } });
  });

  it('SV-53: what the file names as the default of new projects is not removed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bough-server-'));
    await writeFile(join(dir, 'page.config.json'), JSON.stringify({ providers: { lab: lab() } }), { mode: 0o600 });
    const server = await start({}, { defaults: { provider: 'lab' } }, dir);
    await expect(server.client.deleteDeployment('lab')).rejects.toMatchObject({ status: 409, code: 'in_use' });
    expect((await server.client.createProject({})).branch.provider).toBe('lab');
  });

  it('SV-54: the value of a header is kept unseen, and not for another address', async () => {
    const server = await start();
    const [own, other] = [await vendor(), await vendor()];
    const at = (url: string, headers: Record<string, string | null>): DeploymentInput =>
      lab({ baseUrl: `${url}/v1`, headers });
    const { deployment } = await server.client.setDeployment('lab', at(own.url, { 'x-key': SECRET, 'x-team': 'blue' }));
    expect(deployment.entry).toMatchObject({ headers: { 'x-key': null, 'x-team': null } });
    await server.client.setDeployment('lab', at(own.url, { 'x-key': null }));
    await talk(server, 'lab');
    expect(own.asked().at(-1)).toMatchObject({ 'x-key': SECRET });
    expect(own.asked().at(-1)).not.toHaveProperty('x-team');
    await expect(server.client.setDeployment('lab', at(other.url, { 'x-key': null }))).rejects.toMatchObject({
      status: 422,
      extra: { field: 'headers.x-key' },
    });
    expect(JSON.stringify(await server.client.listDeployments())).not.toContain(SECRET);
    expect(server.logged().join('')).not.toContain(SECRET);
  });

  it('SV-58: with locked settings nothing is changed, and everything is shown', async () => {
    const server = await start({ BOUGH_PAGE_SETTINGS: 'locked' });
    const refused = { status: 403, code: 'settings_locked' };
    await expect(server.client.setDeployment('lab', lab())).rejects.toMatchObject(refused);
    await expect(server.client.deleteDeployment('lab')).rejects.toMatchObject(refused);
    await expect(server.client.setMcpServer('x', { command: 'touch' })).rejects.toMatchObject(refused);
    await expect(server.client.deleteMcpServer('x')).rejects.toMatchObject(refused);
    await expect(server.client.setApproval('calculator', 'auto')).rejects.toMatchObject(refused);
    expect((await server.client.listDeployments()).locked).toBe(true);
    expect((await server.client.listMcpServers()).locked).toBe(true);
    expect(() => readConfig({ BOUGH_PAGE_SETTINGS: 'shut', BOUGH_DATA_DIR: server.dataDir }, '/')).toThrow(
      /BOUGH_PAGE_SETTINGS/,
    );
  });

  it('SV-58: no other site and nobody without the token can add a program, whatever the type of the body', async () => {
    const token = 'a-long-and-random-test-token';
    const [open, guarded] = [await start(), await start({ BOUGH_TOKEN: token })];
    const body = JSON.stringify({ command: 'touch', args: ['/tmp/owned'] });
    const put = (server: TestServer, headers: Record<string, string>) =>
      ask(`${server.url}/api/mcp-servers/evil`, { method: 'PUT', headers, body });
    const json = { 'content-type': 'application/json' };
    for (const headers of [
      { ...json, origin: 'https://evil.example' },
      { ...json, origin: 'null' },
      { ...json, 'sec-fetch-site': 'cross-site' },
    ])
      expect(codeOf(await put(open, headers))).toBe('forbidden_origin');
    expect(codeOf(await put(open, { ...json, host: 'evil.example' }))).toBe('forbidden_host');
    expect(codeOf(await put(open, { 'content-type': 'text/plain' }))).toBe('unsupported_media_type');
    expect((await put(guarded, json)).status).toBe(401);
    for (const path of ['/api/providers/deepseek/test', '/api/mcp-servers/evil/reconnect'])
      expect(
        (await ask(`${open.url}${path}`, { method: 'POST', headers: { origin: 'https://a.example' } })).status,
      ).toBe(403);
    expect((await open.client.listMcpServers()).servers).toEqual([]);
    expect((await guarded.client.listMcpServers()).servers).toEqual([]);
  });

  it('SV-59: a file of the page that others can write, or that holds anything else, is refused at the start', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bough-server-'));
    const path = join(dir, 'page.config.json');
    await writeFile(path, '{}', { mode: 0o600 });
    await chmod(path, 0o666);
    const read = () => readConfig({ BOUGH_DATA_DIR: dir }, dir);
    expect(read).toThrow(/page\.config\.json/);
    await chmod(path, 0o600);
    expect(read().page).toEqual({});
    for (const content of ['{', '[]', '{"keepRaw":true}', '{"mcpServers":{"x":{"command":"a\\u0000b"}}}']) {
      await writeFile(path, content);
      expect(read).toThrow(/page\.config\.json/);
    }
  });

  it('SV-59: a change that cannot be written is not made', async () => {
    const server = await start();
    await server.client.setDeployment('lab', lab());
    const path = pageFile(server);
    // A directory in the place of the draft: the write fails, for root too.
    const draft = `${path}.${process.pid}.tmp`;
    await mkdir(join(draft, 'x'), { recursive: true });
    await expect(server.client.setDeployment('other', lab())).rejects.toMatchObject({ code: 'settings_not_saved' });
    expect((await server.client.listDeployments()).deployments.map(({ id }) => id)).toEqual(['lab']);
    await expect(talk(server, 'other')).rejects.toMatchObject({ code: 'unknown_provider' });
    await rm(draft, { recursive: true });
  });
});
