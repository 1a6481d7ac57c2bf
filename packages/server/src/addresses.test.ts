import type { ProviderView } from '@bough/api';
import { createCipheriv, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { say, shown, startTestServer } from './testing/start.ts';
import type { Vendor, VendorAnswer } from './testing/vendor.ts';
import { startVendor } from './testing/vendor.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function vendor(answer?: VendorAnswer): Promise<Vendor> {
  const started = await startVendor(answer);
  cleanUps.push(started.close);
  return started;
}

/** A server whose DeepSeek is at the first vendor; the second is configured too, as a provider of its own. */
async function serverWith(
  own: Vendor,
  other: Vendor,
  env: Readonly<Record<string, string>> = {},
  dataDir?: string,
): Promise<TestServer> {
  const server = await startTestServer(
    { DEEPSEEK_BASE_URL: `${own.url}/v1`, ...env },
    { providers: { lab: { baseUrl: `${other.url}/v1`, models: ['m'] } } },
    dataDir,
  );
  cleanUps.push(server.dispose);
  return server;
}

async function deepseek(server: TestServer): Promise<ProviderView | undefined> {
  return (await server.client.listProviders()).providers.find(({ id }) => id === 'deepseek');
}

async function ask(server: TestServer): Promise<Awaited<ReturnType<typeof say>>> {
  const { project } = await server.client.createProject({ provider: 'deepseek' });
  return say(server.client, project.id, 'main', 'hi');
}

const keysSeen = (seen: Vendor): readonly unknown[] => seen.asked().map(({ authorization }) => authorization);

/** As versions before 0.2 sealed keys: without the address that they were given for. */
function sealWithoutOrigin(secret: Buffer, provider: string, key: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(provider));
  const sealed = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

async function dataOfAnEarlierVersion(settings: unknown, secret = randomBytes(32)): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-server-'));
  await writeFile(join(dataDir, 'key'), secret.toString('base64'), { mode: 0o600 });
  await writeFile(join(dataDir, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  return dataDir;
}

describe('a key belongs to the address that it was given for', () => {
  it('SV-25: a key of the environment never leaves for an address that was set through the API', async () => {
    const [own, other] = [await vendor(), await vendor()];
    const server = await serverWith(own, other, { DEEPSEEK_API_KEY: 'sk-environment-0123456789' });
    expect(shown(await ask(server), 'text')).toBe('hello');
    expect(keysSeen(own)).toEqual(['Bearer sk-environment-0123456789']);

    await server.client.setProviderBaseUrl('deepseek', `${other.url}/v1`);
    expect(await deepseek(server)).toMatchObject({ ready: false, keySource: 'other_address' });
    await expect(ask(server)).rejects.toMatchObject({
      status: 409,
      code: 'key_for_other_address',
      message: expect.stringContaining(other.url),
    });
    expect(other.asked()).toEqual([]);

    await server.client.setProviderKey('deepseek', 'sk-other-0123456789');
    expect(await deepseek(server)).toMatchObject({ ready: true, keySource: 'stored' });
    expect(shown(await ask(server), 'text')).toBe('hello');
    expect(keysSeen(other)).toEqual(['Bearer sk-other-0123456789']);

    await server.client.setProviderBaseUrl('deepseek', null);
    expect(await deepseek(server)).toMatchObject({ ready: true, keySource: 'environment' });
    await ask(server);
    expect(keysSeen(own)).toEqual(['Bearer sk-environment-0123456789', 'Bearer sk-environment-0123456789']);
  });

  it('SV-25: a stored key stays with its origin, over changes of the address and restarts', async () => {
    const [own, other] = [await vendor(), await vendor()];
    const server = await serverWith(own, other);
    await server.client.setProviderKey('deepseek', 'sk-stored-0123456789');
    await server.client.setProviderBaseUrl('deepseek', `${own.url}/another/path`);
    expect(await deepseek(server)).toMatchObject({ ready: true, keySource: 'stored' });
    await server.client.setProviderBaseUrl('deepseek', `${other.url}/v1`);
    expect(await deepseek(server)).toMatchObject({ ready: false, keySource: 'other_address' });
    const again = await server.restart();
    cleanUps.push(again.dispose);
    expect(await deepseek(again)).toMatchObject({ ready: false, keySource: 'other_address' });
    await expect(ask(again)).rejects.toMatchObject({ code: 'key_for_other_address' });
    expect(other.asked()).toEqual([]);
    await again.client.setProviderBaseUrl('deepseek', null);
    expect(shown(await ask(again), 'text')).toBe('hello');
    expect(keysSeen(own)).toEqual(['Bearer sk-stored-0123456789']);
  });

  it('SV-25: a key of an earlier version belongs to the address that it was in use for', async () => {
    const [own, other] = [await vendor(), await vendor()];
    const secret = randomBytes(32);
    const key = sealWithoutOrigin(secret, 'deepseek', 'sk-earlier-0123456789');
    const dataDir = await dataOfAnEarlierVersion({ keys: { deepseek: key }, baseUrls: {}, defaults: null }, secret);
    const server = await serverWith(own, other, {}, dataDir);
    await server.client.setProviderBaseUrl('deepseek', `${other.url}/v1`);
    expect(await deepseek(server)).toMatchObject({ ready: false, keySource: 'other_address' });
    await server.client.setProviderBaseUrl('deepseek', null);
    await ask(server);
    expect([keysSeen(own), keysSeen(other)]).toEqual([['Bearer sk-earlier-0123456789'], []]);
  });

  it('SV-25: headers of the configuration that carry secrets stay with the configured address', async () => {
    const [own, other] = [await vendor(), await vendor()];
    const headers = { 'x-api-key': 'gateway-secret-0123', 'x-team': 'blue' };
    const server = await startTestServer(
      { DEEPSEEK_BASE_URL: `${own.url}/v1`, DEEPSEEK_API_KEY: 'sk-environment-0123456789' },
      { providers: { deepseek: { headers }, lab: { baseUrl: `${other.url}/v1`, models: ['m'] } } },
    );
    cleanUps.push(server.dispose);
    await ask(server);
    const { project } = await server.client.createProject({ provider: 'deepseek' });
    const { request } = await server.client.context(project.id, { ref: 'main', message: 'hi' });
    expect(request.headers).toMatchObject({ 'x-api-key': '[redacted]', 'x-team': 'blue' });
    await server.client.setProviderBaseUrl('deepseek', `${other.url}/v1`);
    await server.client.setProviderKey('deepseek', 'sk-other-0123456789');
    await ask(server);
    expect(own.asked()[0]).toMatchObject(headers);
    expect(other.asked()[0]).toMatchObject({ 'x-team': 'blue' });
    expect(other.asked()[0]).not.toHaveProperty('x-api-key');
  });

  it('SV-30: a key that another key file sealed is told for its provider alone, and entering it again replaces it', async () => {
    const [own, other] = [await vendor(), await vendor()];
    const key = sealWithoutOrigin(randomBytes(32), 'deepseek', 'sk-lost-0123456789');
    const dataDir = await dataOfAnEarlierVersion({ keys: { deepseek: key }, baseUrls: {}, defaults: null });
    const server = await serverWith(own, other, {}, dataDir);
    expect(await deepseek(server)).toMatchObject({ ready: false, keySource: 'unreadable' });
    const { project } = await server.client.createProject({});
    expect(shown(await say(server.client, project.id, 'main', 'hi'), 'text')).not.toBe('');
    await expect(ask(server)).rejects.toMatchObject({ status: 409, code: 'key_unreadable' });
    await server.client.setProviderKey('deepseek', 'sk-again-0123456789');
    expect(await deepseek(server)).toMatchObject({ ready: true, keySource: 'stored' });
    await ask(server);
    expect(keysSeen(own)).toEqual(['Bearer sk-again-0123456789']);
    await server.client.deleteProviderKey('deepseek');
    expect(await deepseek(server)).toMatchObject({ ready: false, keySource: 'none' });
  });
});

describe('private addresses', () => {
  it('SV-26: are never set through the API, however they are written', async () => {
    const server = await startTestServer();
    cleanUps.push(server.dispose);
    for (const address of [
      'http://127.0.0.1:8080/v1',
      'http://127.1',
      'http://2130706433',
      'http://0x7f.0.0.1',
      'http://017700000001',
      'http://0.0.0.0',
      'http://10.1.2.3',
      'http://172.16.0.1',
      'http://192.168.1.1',
      'http://100.64.0.1',
      'http://169.254.169.254/latest',
      'http://[::1]:9',
      'http://[::]',
      'http://[::ffff:127.0.0.1]',
      'http://[::ffff:a9fe:a9fe]',
      'http://[fe80::1]',
      'http://[fd00::1]',
      'http://[64:ff9b::7f00:1]',
      'http://[2002:7f00:1::]',
      'http://localhost:9',
      'http://LOCALHOST.',
      'http://metadata.localhost',
      'https://127.0.0.1',
    ]) {
      await expect(server.client.setProviderBaseUrl('deepseek', address), address).rejects.toMatchObject({
        status: 422,
        code: 'private_address',
        message: expect.stringContaining('DEEPSEEK_BASE_URL'),
      });
    }
    expect(await deepseek(server)).toMatchObject({ baseUrl: expect.stringMatching(/^https:\/\/api\.deepseek\.com/) });
    await server.client.setProviderBaseUrl('deepseek', 'https://deepseek.example/v1');
    expect(await deepseek(server)).toMatchObject({ baseUrl: 'https://deepseek.example/v1' });
  });

  it('SV-26: an address that is configured may be set through the API, too', async () => {
    const server = await startTestServer();
    cleanUps.push(server.dispose);
    await server.client.setProviderBaseUrl('ollama', 'http://127.0.0.1:11434/v2');
    const { providers } = await server.client.listProviders();
    expect(providers.find(({ id }) => id === 'ollama')).toMatchObject({ baseUrl: 'http://127.0.0.1:11434/v2' });
  });

  it('SV-26: a name that turns out to be private gets no connection', async () => {
    const [own, inside] = [await vendor(), await vendor()];
    const dataDir = await dataOfAnEarlierVersion({
      keys: {},
      baseUrls: { deepseek: `${inside.url.replace('127.0.0.1', 'localhost')}/v1` },
      defaults: null,
    });
    const server = await serverWith(own, own, {}, dataDir);
    await server.client.setProviderKey('deepseek', 'sk-stored-0123456789');
    expect(await ask(server)).toContainEqual(
      expect.objectContaining({ type: 'error', message: expect.stringContaining('private network') }),
    );
    expect(inside.asked()).toEqual([]);
  });
});

describe('what is shown of an address and of its errors', () => {
  const TEXT = 'the text of a page inside the network';

  it('SV-27: a base URL with a user or a password is refused, and nothing repeats it', async () => {
    const server = await startTestServer();
    cleanUps.push(server.dispose);
    for (const address of ['https://me:hunter2secret@deepseek.example', 'https://hunter2secret@deepseek.example']) {
      const refused = await server.client.setProviderBaseUrl('deepseek', address).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 422, code: 'invalid_url' });
      expect(String(refused)).not.toContain('hunter2secret');
    }
    for (const address of ['ftp://deepseek.example', 'https://deepseek.example/?key=1', 'https://deepseek.example/#x'])
      await expect(server.client.setProviderBaseUrl('deepseek', address)).rejects.toMatchObject({ status: 422 });
    expect(server.logged().join('')).not.toContain('hunter2secret');
  });

  it('SV-27: one that an earlier version stored is used and shown without them', async () => {
    const dataDir = await dataOfAnEarlierVersion({
      keys: {},
      baseUrls: { deepseek: 'https://me:hunter2secret@deepseek.example/v1', openai: 'not an address' },
      defaults: null,
    });
    const server = await startTestServer({}, undefined, dataDir);
    cleanUps.push(server.dispose);
    expect(await deepseek(server)).toMatchObject({ baseUrl: 'https://deepseek.example/v1' });
    const { project } = await server.client.createProject({ provider: 'deepseek' });
    const preview = await server.client.context(project.id, { ref: 'main', message: 'hi' });
    expect(JSON.stringify([preview, await server.client.listProviders()])).not.toContain('hunter2secret');
    await server.client.setProviderKey('deepseek', 'sk-any-0123456789');
    expect(await readFile(join(dataDir, 'settings.json'), 'utf8')).not.toContain('hunter2secret');
  });

  it.each([
    ['a page', { status: 403, type: 'text/html', body: `<html>${TEXT}</html>` }],
    ['a text', { status: 404, type: 'text/plain', body: TEXT }],
    ['JSON without an error', { status: 400, type: 'application/json', body: JSON.stringify({ secret: TEXT }) }],
    [
      'a page behind a gateway',
      {
        status: 400,
        type: 'application/json',
        body: JSON.stringify({ error: { message: 'Provider returned error', metadata: { raw: `<html>${TEXT}` } } }),
      },
    ],
  ])('SV-28: %s that answers instead of an error is not repeated', async (_, answer) => {
    const own = await vendor(answer);
    const server = await serverWith(own, own, { DEEPSEEK_API_KEY: 'sk-environment-0123456789' });
    const { project } = await server.client.createProject({ provider: 'deepseek' });
    const lines = await say(server.client, project.id, 'main', 'hi');
    expect(lines).toContainEqual(expect.objectContaining({ type: 'error' }));
    const history = await server.client.history(project.id, { ref: 'main' });
    expect(JSON.stringify([lines, history, server.logged()])).not.toContain(TEXT);
  });

  it('SV-28: the sentence of an error is short and holds no key', async () => {
    const key = 'sk-environment-0123456789';
    const message = `No ${key}, nor http://me:hunter2secret@inside: ${'long '.repeat(10_000)}`;
    const body = JSON.stringify({ error: { message } });
    const own = await vendor({ status: 400, type: 'application/json', body });
    const server = await serverWith(own, own, { DEEPSEEK_API_KEY: key });
    const error = (await ask(server)).find(({ type }) => type === 'error');
    expect(JSON.stringify(error)).toContain('No [redacted]');
    expect(JSON.stringify(error)).not.toMatch(/sk-environment|hunter2secret/);
    expect(JSON.stringify(error).length).toBeLessThan(2_500);
  });
});
