import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { say, startTestServer } from './testing/start.ts';
import { unzipped } from './testing/unzip.ts';

let server: TestServer;
let id: string;
beforeAll(async () => {
  server = await startTestServer();
  const { client } = server;
  ({
    project: { id },
  } = await client.createProject({ name: 'Sums: 2', tools: ['calculator'], thinking: 'medium' }));
  await say(client, id, 'main', '/sim tools calculator');
  await say(client, id, 'main', '/sim say Green.');
  const [first] = (await client.history(id, { ref: 'main' })).groups;
  await client.annotateNode(id, first?.reply.at(-1)?.id ?? '', { star: true, note: 'a private note' });
  await client.createProject({ name: 'Empty' });
});
afterAll(() => server.dispose());

const zipOf = async (query: Parameters<TestServer['client']['exportDataset']>[0]) => {
  const answer = await server.client.exportDataset(query);
  return { answer, files: unzipped(new Uint8Array(await answer.arrayBuffer())) };
};
const linesOf = (file: Buffer | undefined): readonly unknown[] =>
  (file?.toString('utf8') ?? '').split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));

it('SV-782: a dataset is counted, and downloaded as a ZIP file with its data, list and manifest', async () => {
  const { client } = server;
  const whole = await client.countDataset({ project: id });
  expect(whole).toMatchObject({
    records: 1,
    leftOut: { records: {}, parts: { reasoning: expect.any(Number) as number } },
  });
  const { answer, files } = await zipOf({ project: id });
  expect(answer.headers.get('content-type')).toBe('application/zip');
  expect(answer.headers.get('content-disposition')).toContain('filename="Sums 2 messages.zip"');
  const names = ['data.jsonl', 'manifest.json', 'records.jsonl'].map((name) => `Sums 2 messages/${name}`);
  expect([...files.keys()].toSorted()).toEqual(names);
  expect(linesOf(files.get(names[0] ?? ''))).toMatchObject([
    { messages: expect.any(Array) as unknown[], tools: [{ function: { name: 'calculator' } }] },
  ]);
  const manifest: unknown = JSON.parse(files.get(names[1] ?? '')?.toString('utf8') ?? '');
  expect(manifest).toMatchObject({ ...whole, projects: [{ id }], options: { shape: 'messages', notes: false } });
  expect([...files.values()].join('')).not.toContain('a private note');

  const chosen = {
    shape: 'prompt-completion',
    reasoning: 'field',
    tools: 'false',
    starred: 'true',
    notes: 'true',
  } as const;
  expect((await client.countDataset(chosen)).records).toBe(1);
  const { files: starred } = await zipOf(chosen);
  expect(linesOf(starred.get('bough prompt-completion/data.jsonl'))).toMatchObject([
    { completion: [{ reasoning_content: expect.stringMatching(/./) as string }] },
  ]);
  expect(starred.get('bough prompt-completion/records.jsonl')?.toString()).toContain('a private note');
  const { files: parquet } = await zipOf({ project: id, format: 'parquet' });
  expect(parquet.get('Sums 2 messages/data.parquet')?.subarray(0, 4).toString()).toBe('PAR1');
  for (const none of [
    { model: 'other,another' },
    { until: '2001-01-01' },
    { verdict: 'better' },
    { blind: 'true' },
  ] as const)
    expect((await client.countDataset({ project: id, ...none })).records).toBe(0);
  // What was written on the way is gone when it was sent.
  await expect.poll(() => readdir(join(server.dataDir, 'scratch'))).toEqual([]);
});

it('SV-782: what cannot be asked for is refused with what to say instead', async () => {
  const { client } = server;
  const refused = { status: 422, code: 'invalid_dataset' };
  await expect(client.exportDataset({ verdict: 'fine' })).rejects.toMatchObject(refused);
  await expect(client.countDataset({ since: 'May' })).rejects.toMatchObject(refused);
  await expect(client.countDataset({ shape: 'sharegpt', reasoning: 'field' })).rejects.toMatchObject(refused);
  await expect(client.exportDataset({ project: 'gone' })).rejects.toMatchObject({ status: 404, code: 'unknown_id' });
});
