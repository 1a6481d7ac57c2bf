import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from './testing/ask.ts';
import { ask, codeOf } from './testing/ask.ts';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';

const TOKEN = 'a-long-and-random-test-token';
const RIGHT = { authorization: `Bearer ${TOKEN}` };
const LIMIT = 20;

let server: TestServer;
afterEach(() => server.dispose());

const start = async (env: Readonly<Record<string, string>> = { BOUGH_TOKEN: TOKEN }): Promise<void> => {
  server = await startTestServer(env, { limits: { requestsPerMinute: LIMIT } });
};
const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  ask(`${server.url}${path}`, { headers });
const many = (count: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => get(path, headers)));
const openSession = async (): Promise<{ readonly cookie: string }> => {
  const answer = await ask(`${server.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: TOKEN }),
  });
  return { cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
};

describe('limits of requests', () => {
  it('SV-29: whoever has no token locks nobody out', async () => {
    await start();
    const anonymous = [
      ...(await many(3 * LIMIT, '/api/projects')),
      ...(await many(5 * LIMIT, '/api/projects', { authorization: 'Bearer wrong' })),
      ...(await many(3 * LIMIT, '/api/healthz/ready')),
    ];
    expect(new Set(anonymous.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect((await get('/api/projects', RIGHT)).status).toBe(200);
    expect((await get('/api/healthz/ready', RIGHT)).status).toBe(200);
    expect((await get('/api/projects', await openSession())).status).toBe(200);
  });

  it('SV-29: wrong tokens have a small limit of their own, which right ones do not feel', async () => {
    await start();
    const wrong = await many(100, '/api/projects', { authorization: 'Bearer wrong' });
    const refused = wrong.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.map(codeOf)).toEqual(refused.map(() => 'too_many_requests'));
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    const login = await ask(`${server.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: 'wrong' }),
    });
    expect(login.status).toBe(429);
    expect((await get('/api/projects', RIGHT)).status).toBe(200);
  });

  it('SV-29: the limit counts per client, and leaves health and readiness alone', async () => {
    await start();
    const [first, second] = [await openSession(), await openSession()];
    const answers = await many(LIMIT + 5, '/api/projects', first);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    expect(codeOf(await get('/api/projects', first))).toBe('too_many_requests');
    expect((await get('/api/projects', second)).status).toBe(200);
    expect((await get('/api/projects', RIGHT)).status).toBe(200);
    const behindProxy = await many(LIMIT + 5, '/api/projects', { ...RIGHT, 'x-forwarded-for': '198.51.100.7' });
    expect(behindProxy.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    expect((await get('/api/projects', { ...RIGHT, 'x-forwarded-for': '198.51.100.8' })).status).toBe(200);
    for (const path of ['/api/healthz', '/api/healthz/ready'])
      expect((await many(2 * LIMIT, path, first)).every(({ status }) => status === 200)).toBe(true);
  });

  it('SV-29: a server without a token is ready over its limit, too', async () => {
    await start({});
    const answers = await many(2 * LIMIT, '/api/projects');
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    expect((await get('/api/healthz/ready')).status).toBe(200);
  });
});
