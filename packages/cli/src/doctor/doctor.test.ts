import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';
import type { EndpointCheck } from './endpoint.ts';
import { CHECKS } from './endpoint.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace({ ANTHROPIC_API_KEY: 'a-key-that-is-never-used', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' });
});
afterEach(() => place.dispose());

describe('the installation', () => {
  it('DO-1: a sound one passes', async () => {
    const { code, out } = await place.bough(['doctor']);
    expect(code).toBe(0);
    for (const name of ['Node.js', 'configuration', 'data directory', 'permissions', 'disk', 'store']) {
      expect(out).toContain(name);
    }
    expect(out).not.toContain('failed');
  });

  it('DO-1: a key file that others may read and a wrong setting are told', async () => {
    await place.bough(['ls']);
    await chmod(join(place.dir, 'data', 'key'), 0o644);
    expect((await place.bough(['doctor'])).out).toMatch(/permissions +warning/);
    await place.configure({ frob: 1 });
    const { code, out } = await place.bough(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(/configuration +failed/);
    await place.configure({ defaults: { provider: 'nobody' } });
    expect((await place.bough(['doctor'])).out).toMatch(/configuration +failed .*defaults\.provider/);
  });

  it('CLI-24: which file is used, what is trusted, and that one of the working directory is not', async () => {
    await place.configure({ keepRaw: true });
    const own = await place.bough(['doctor']);
    expect(own.out).toMatch(/configuration +ok .*data\/bough\.config\.json/);
    expect(own.out).toMatch(/trust +ok +no file outside/);
    await writeFile(join(place.dir, 'bough.config.json'), '{"mcpServers":{"x":{"command":"touch","args":["y"]}}}');
    const ignored = await place.bough(['doctor']);
    expect(ignored.code).toBe(0);
    expect(ignored.out).toMatch(/trust +warning .*bough\.config\.json is not used: .* run "touch y"/);
    expect(ignored.err).toBe('');
    await place.bough(['trust']);
    const trusted = await place.bough(['doctor', '--json']);
    expect(trusted.json()).toContainEqual({ name: 'trust', state: 'ok', detail: join(place.dir, 'bough.config.json') });
  });
});

describe('an endpoint', () => {
  it.each(['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'])(
    'DO-2: %s passes every check, and its project is gone afterwards',
    async (provider) => {
      const { code, json } = await place.bough(['doctor', provider, '--json']);
      const { checks } = json() as { checks: EndpointCheck[] };
      expect(checks.map(({ name }) => name)).toEqual([...CHECKS]);
      expect(checks.filter(({ failed }) => failed)).toEqual([]);
      expect(checks.find(({ name }) => name === 'parallel tools')?.endpoint).toBe('2 call(s) in one reply');
      expect(checks.find(({ name }) => name === 'interruption and continuation')?.endpoint).toContain('goes on');
      expect(code).toBe(0);
      expect((await place.bough(['ls', '--json'])).json()).toEqual([]);
    },
  );

  it('CLI-116: what did not happen is "not seen", and no success', async () => {
    const { code, json } = await place.bough(['doctor', 'simulated', '--model', 'sim-plain', '--json']);
    const { checks } = json() as { checks: EndpointCheck[] };
    const unseen = checks.filter(({ seen }) => !seen);
    expect(unseen.map(({ name, endpoint }) => [name, endpoint])).toEqual([
      ['thinking', 'not seen'],
      ['signature round trip', 'not seen'],
    ]);
    expect(code).toBe(0);
    const server = await place.serve();
    try {
      expect((await place.bough(['doctor'])).out).toMatch(/store +not seen/);
    } finally {
      await server.stop();
    }
  });

  it('DO-3: nothing is sent before the price was told and agreed to', async () => {
    const silent = await place.bough(['doctor', 'anthropic']);
    expect(silent.code).toBe(2);
    expect(silent.err).toMatch(/costs at most about \$\d/);
    const declined = await place.bough(['doctor', 'anthropic'], { isInteractive: true, input: 'n\n' });
    expect(declined.code).toBe(1);
    expect(declined.err).toContain('Go on? [y/N]');
    expect(declined.out).not.toContain('the endpoint');
  });

  it('DO-4: an endpoint that does not answer is a failure that says why', async () => {
    const { code, json } = await place.bough(['doctor', 'anthropic', '--yes', '--json']);
    expect(code).toBe(1);
    const { checks } = json() as { checks: EndpointCheck[] };
    expect(checks).toHaveLength(1);
    expect(checks[0]).toMatchObject({
      name: 'address and key',
      endpoint: 'unreachable',
      failed: true,
      difference: expect.stringContaining(':'),
    });
  });
});
