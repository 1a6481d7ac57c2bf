import { routes } from '@bough/api';
import { afterEach, describe, expect, it } from 'vitest';
import { fuzz } from './testing/fuzz/index.ts';
import { FUZZ_CONFIG, fuzzEnvironment } from './testing/fuzz/server.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

let server: TestServer;
afterEach(() => server.dispose());

/** The long form is `npm run fuzz`. */
const REQUESTS = 3_000;

describe('hostile requests', () => {
  it.each(['files', 'git', 'postgres'])(
    'SV-37: no request to any route makes a 5xx, and the server is well afterwards, on %s',
    async (store) => {
      server = await startTestServer({ ...fuzzEnvironment(), BOUGH_STORE: store }, FUZZ_CONFIG);
      const report = await fuzz({ baseUrl: server.url, seed: 12, count: store === 'files' ? REQUESTS : REQUESTS / 2 });
      // Before the answers: the log says why one was a 500.
      expect(server.logged().filter((line) => line.includes('request_failed'))).toEqual([]);
      expect(report.failures).toEqual([]);
      const asked = Object.values(routes).filter(
        ({ method, path }) => (report.byRoute.get(`${method.toUpperCase()} ${path}`) ?? 0) < 5,
      );
      expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      expect(report.byStatus.get(200)).toBeGreaterThan(100);
      const { project } = await server.client.createProject({ provider: 'simulated', model: 'sim-thinker' });
      expect(endOf(await say(server.client, project.id, 'main', 'hi')).status).toBe('complete');
      expect(server.logged().filter((line) => line.includes('request_failed'))).toEqual([]);
    },
  );
});
