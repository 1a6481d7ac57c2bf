import { join } from 'node:path';
import { projectId } from '@bough/core';
import type { ProjectRecord, Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { expect, it, onTestFinished } from 'vitest';
import { say, startTestServer } from './testing/start.ts';

it.each(['simulated', 'simulated_responses', 'simulated_chat', 'simulated_gemini'])(
  'EN-31: %s gets what it was sent before in the stored bytes, also where they would be written otherwise today',
  async (provider) => {
    const before = await startTestServer();
    onTestFinished(before.dispose);
    const { id } = (await before.client.createProject({ provider })).project;
    await say(before.client, id, 'main', 'One');
    await say(before.client, id, 'main', 'Two');
    await before.stop();

    const store = await openFilesStore({ directory: join(before.dataDir, 'files') });
    const respelled = await changeRenderings(store, id, (bytes) => bytes.replace('{"', '{ "'));
    await store.close();
    expect(respelled).toHaveLength(3);

    const after = await before.restart();
    onTestFinished(async () => void (await after.stop()));
    const { body } = (await after.client.context(id, { ref: 'main', message: 'Three' })).request;
    for (const bytes of respelled) expect(body).toContain(bytes);
  },
);

/** Stores the project again with other renderings, as if a program that renders differently had written them. */
async function changeRenderings(
  store: Store,
  project: string,
  change: (bytes: string) => string,
): Promise<readonly string[]> {
  const records: ProjectRecord[] = [];
  for await (const record of store.exportProject(projectId(project))) {
    records.push(
      record.type === 'rendering'
        ? { ...record, value: { ...record.value, bytes: change(record.value.bytes) } }
        : record,
    );
  }
  await store.deleteProject(projectId(project));
  await store.importProject(eachOf(records));
  return records.flatMap((record) => (record.type === 'rendering' ? [record.value.bytes] : []));
}

async function* eachOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
