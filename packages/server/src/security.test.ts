import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from './config/index.ts';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';

const TOKEN = 'a-long-and-random-test-token';
let open: TestServer;
let guarded: TestServer;
beforeAll(async () => {
  [open, guarded] = await Promise.all([startTestServer(), startTestServer({ BOUGH_TOKEN: TOKEN })]);
});
afterAll(async () => {
  await Promise.all([open.dispose(), guarded.dispose()]);
});

/** fetch() does not let a test choose the Host header. */
function ask(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    sent.on('error', reject).end();
  });
}

const codeOf = (body: string): unknown => (JSON.parse(body) as { code: unknown }).code;

describe('who may ask', () => {
  it('SV-1: a name that was pointed at this machine is refused', async () => {
    const answer = await ask(`${open.url}/api/projects`, { host: 'evil.example' });
    expect([answer.status, codeOf(answer.body)]).toEqual([403, 'forbidden_host']);
    expect((await ask(`${open.url}/api/projects`, { host: 'localhost:1' })).status).toBe(200);
  });

  it.each([{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])(
    'SV-2: a page of another origin is refused: %j',
    async (headers) => {
      const answer = await ask(`${open.url}/api/projects`, headers);
      expect([answer.status, codeOf(answer.body)]).toEqual([403, 'forbidden_origin']);
    },
  );

  it('SV-2: the own origin is taken', async () => {
    expect((await ask(`${open.url}/api/projects`, { origin: open.url })).status).toBe(200);
  });

  it('SV-18: a browser leaves the token once and comes with its cookie, which is not the token', async () => {
    const session = (method: string, token: string, headers: Record<string, string> = {}) =>
      fetch(`${guarded.url}/api/session`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(method === 'POST' ? { body: JSON.stringify({ token }) } : {}),
      });
    const wrong = await session('POST', `${TOKEN}x`);
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
    const opened = await session('POST', TOKEN);
    expect(opened.status).toBe(204);
    const [cookie = '', ...attributes] = (opened.headers.get('set-cookie') ?? '').split('; ');
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/api']));
    expect(cookie).not.toContain(TOKEN);
    const asked = await ask(`${guarded.url}/api/session`, { cookie });
    expect([asked.status, JSON.parse(asked.body)]).toEqual([200, { tokenRequired: true }]);
    for (const refused of [`${cookie}0`, `bough_session=${TOKEN}`, `bough_token=${TOKEN}`, ''])
      expect((await ask(`${guarded.url}/api/projects`, { cookie: refused })).status).toBe(401);
    expect((await ask(`${guarded.url}/api/projects`, { cookie, authorization: 'Bearer wrong' })).status).toBe(401);
    const behindTls = await session('POST', TOKEN, { 'x-forwarded-proto': 'https' });
    expect(behindTls.headers.get('set-cookie')).toContain('Secure');
    expect((await session('DELETE', '')).headers.get('set-cookie')).toMatch(/^bough_session=; .*Max-Age=0/);
    expect((await session('POST', TOKEN, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('SV-3: with a token set, nothing of the API answers without it', async () => {
    for (const path of ['/api/projects', '/api/providers', '/api/metrics', '/api/openapi.json', '/api/nothing']) {
      expect((await ask(`${guarded.url}${path}`, {})).status).toBe(401);
      expect((await ask(`${guarded.url}${path}`, { authorization: `Bearer ${TOKEN}x` })).status).toBe(401);
    }
    expect((await ask(`${guarded.url}/api/projects`, { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  });

  it('SV-4: another host than loopback is refused without a token, and a short token too', () => {
    expect(() => readConfig({ HOST: '0.0.0.0' }, '/')).toThrow(/BOUGH_TOKEN/);
    expect(() => readConfig({ HOST: '0.0.0.0', BOUGH_TOKEN: 'short' }, '/')).toThrow(/16 characters/);
    const own = { BOUGH_DATA_DIR: open.dataDir };
    expect(readConfig({ ...own, HOST: '0.0.0.0', BOUGH_TOKEN: TOKEN }, '/').host).toBe('0.0.0.0');
    expect(readConfig(own, '/').host).toBe('127.0.0.1');
  });

  it('SV-5: every answer carries the security headers and a request id', async () => {
    const { headers } = await ask(`${open.url}/api/projects`, {});
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('what the page may fetch', () => {
  const policyOf = async (path: string): Promise<Readonly<Record<string, string>>> => {
    const { headers } = await ask(`${open.url}${path}`, {});
    const policy = String(headers['content-security-policy']).split('; ');
    return {
      ...Object.fromEntries(policy.map((rule) => rule.split(/ (.*)/s))),
      frame: String(headers['x-frame-options']),
    };
  };

  it('SV-64: pictures over https, and nothing else from elsewhere', async () => {
    expect(await policyOf('/')).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'img-src': "'self' data: https:",
      'connect-src': "'self'",
      'frame-src': "'self'",
      'frame-ancestors': "'none'",
      frame: 'DENY',
    });
  });

  it('SV-64: the frame that draws diagrams fetches nothing, and only the page may hold it', async () => {
    const policy = await policyOf('/diagram.html');
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'unsafe-inline'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'self'",
      frame: 'SAMEORIGIN',
    });
  });
});

describe('keys', () => {
  it('SV-6: a key can be set and removed, and is in no answer, no log and no plain file', async () => {
    const secret = 'sk-test-secret-0123456789';
    await open.client.setProviderKey('anthropic', secret);
    const { providers } = await open.client.listProviders();
    expect(providers.find((provider) => provider.id === 'anthropic')).toMatchObject({
      ready: true,
      keySource: 'stored',
    });
    expect(JSON.stringify(providers)).not.toContain(secret);
    expect(open.logged().join('')).not.toContain(secret);
    const { readFile, stat } = await import('node:fs/promises');
    expect(await readFile(`${open.dataDir}/settings.json`, 'utf8')).not.toContain(secret);
    expect((await stat(`${open.dataDir}/key`)).mode & 0o777).toBe(0o600);
    expect((await stat(`${open.dataDir}/settings.json`)).mode & 0o777).toBe(0o600);
    await open.client.deleteProviderKey('anthropic');
    const after = await open.client.listProviders();
    expect(after.providers.find((provider) => provider.id === 'anthropic')).toMatchObject({
      ready: false,
      keySource: 'none',
    });
  });

  it('SV-7: a provider without its key is refused before anything is stored', async () => {
    const { project } = await open.client.createProject({ provider: 'anthropic' });
    await expect(open.client.chat(project.id, { ref: 'main', message: 'hi' })).rejects.toMatchObject({
      status: 409,
      code: 'provider_not_ready',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    expect((await open.client.history(project.id, { ref: 'main' })).groups).toEqual([]);
  });
});
