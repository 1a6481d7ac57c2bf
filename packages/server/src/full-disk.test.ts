import { canMount, mountSmallDisk } from '@bough/testkit';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spawnServer } from './testing/process.ts';
import { expectStored, readUntil, untilClosed } from './testing/screen.ts';
import { endOf, say } from './testing/start.ts';

interface Ready {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

describe.runIf(canMount())('a full disk', () => {
  it.each([
    ['files', 8],
    ['git', 16],
    ['postgres', 120],
  ] as const)(
    'EN-38: with the %s store, the stream ends with a sentence, requests are refused, and all is well once there is room',
    async (store, megabytes) => {
      const disk = mountSmallDisk(megabytes);
      onTestFinished(disk.dispose);
      const server = await spawnServer({ BOUGH_DATA_DIR: join(disk.path, 'data'), BOUGH_STORE: store });
      onTestFinished(async () => void (await server.terminate()));
      const ready = async (): Promise<Ready & { readonly code: number }> => {
        const response = await fetch(`${server.url}/api/healthz/ready`);
        return { code: response.status, ...((await response.json()) as Ready) };
      };
      expect(await ready()).toMatchObject({ code: 200, status: 'ok' });
      const { project } = await server.client.createProject({});
      const response = await server.client.chat(project.id, {
        ref: 'main',
        message: 'Long. /sim slow 1 /sim think 1 /sim long 2000000',
      });
      const filled: Promise<void>[] = [];
      const lines = await readUntil(response, (_, soFar) => {
        if (soFar.length > 5 && filled.length === 0) filled.push(disk.fill());
        return false;
      });
      await Promise.all(filled);
      // What the client saw last: not a broken connection, but a sentence.
      expect(lines.filter((line) => line.type === 'error')).toMatchObject([
        { code: 'disk_full', message: expect.stringMatching(/disk is full.*Free some space/), retryable: true },
      ]);
      expect(['error', 'done']).toContain(lines.at(-1)?.type);

      // The answer from before may be given for a second.
      await expect.poll(ready).toMatchObject({
        code: 503,
        status: 'failing',
        checks: { store: 'disk_full', reason: expect.stringMatching(/Free some space/) },
      });
      const refused = {
        status: 507,
        code: 'disk_full',
        message: expect.stringMatching(/disk is full.*Free some space/),
      };
      await expect(server.client.setProviderKey('anthropic', 'k'.repeat(2_000))).rejects.toMatchObject(refused);
      await expect(server.client.createProject({ systemPrompt: 'x'.repeat(100_000) })).rejects.toMatchObject(refused);

      disk.free();
      await expect.poll(async () => (await ready()).code).toBe(200);
      await untilClosed(server.client, project.id);
      // The line that could not be stored is the only one missing from the history.
      const isStored = endOfTurn(lines);
      await expectStored(server.client, project.id, isStored ? lines : lines.filter((line) => line.type !== 'error'));
      expect(endOf(await say(server.client, project.id, 'main', 'And now?')).status).toBe('complete');
    },
  );
});

function endOfTurn(lines: readonly { readonly type: string }[]): boolean {
  return lines.at(-1)?.type === 'done';
}
