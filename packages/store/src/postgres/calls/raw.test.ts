import { gunzipSync, gzipSync } from 'node:zlib';
import type { RawEvent, RawPayload } from '@bough/core';
import { expect, test } from 'vitest';
import { beginTurn, buildCall, buildRaw, buildReply, seedProject, seedTurn } from '../../contract/build.ts';
import { openForTest } from '../testing/database.ts';
import { freshSchema, useTestServer } from '../testing/server.ts';
import { packRaw, unpackRaw } from './raw.ts';

const server = useTestServer();

test('PG-18: raw is stored once, compressed, and is exactly what was captured', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const store = await openForTest(await server(), schema);
  const { project, branch } = await seedProject(store);
  const { turn, user } = await beginTurn(store, project, branch, null);
  const events: RawEvent[] = Array.from({ length: 500 }, (_, index) => ({
    event: 'content_block_delta',
    data: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word ${index} \\ud83c"},"n":1.0}`,
  }));
  const raw = buildRaw('', { payload: [...events, { data: 'half \ud83c, nul \0' }] });
  const reply = buildReply(project, user, 'reply', { turnId: turn.id });
  await store.commitTurn({
    projectId: project.id,
    turnId: turn.id,
    owner: 'owner-1',
    nodes: [reply],
    calls: [{ call: buildCall(turn, reply), raw }],
    renderings: [],
    status: 'complete',
  });
  const [row, ...more] = await query(`SELECT bytes FROM ${schema}.raws`);
  expect(more).toStrictEqual([]);
  const bytes = row?.['bytes'];
  if (!Buffer.isBuffer(bytes)) throw new Error('raw is stored as bytes');
  expect(bytes.length).toBeLessThan(JSON.stringify(raw).length / 8);
  expect(JSON.stringify(await store.getRaw(project.id, reply.id))).toBe(JSON.stringify(raw));
});

test('PG-18: a conversation needs as many bytes for its hundredth turn as for its tenth', async () => {
  const schema = freshSchema();
  const { query } = await server();
  const store = await openForTest(await server(), schema);
  const { project, branch } = await seedProject(store);
  const sizes: number[] = [];
  let tip = null;
  for (let turn = 1; turn <= 100; turn += 1) {
    tip = (await seedTurn(store, project, branch, tip)).reply.id;
    if (turn % 10 !== 0) continue;
    const [row] = await query(`
      SELECT (SELECT sum(length(bytes)) FROM ${schema}.raws) + (SELECT sum(length(bytes)) FROM ${schema}.renderings)
        + (SELECT sum(length(content_blocks) + length(lexemes)) FROM ${schema}.nodes) AS bytes`);
    sizes.push(Number(row?.['bytes']));
  }
  const [first = 0, ...rest] = sizes;
  expect(rest.map((size, index) => size - (sizes[index] ?? 0)).every((grown) => grown < first * 1.2)).toBe(true);
});

test('PG-18: bytes that are no raw are told as damage', async () => {
  const packed = await packRaw(buildRaw('{}'));
  await expect(unpackRaw(packed.subarray(0, packed.length - 4))).rejects.toMatchObject({ code: 'raw_damaged' });
  const flipped = Buffer.from(packed);
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 6) ^ 0xff, flipped.length - 6);
  await expect(unpackRaw(flipped)).rejects.toMatchObject({ code: 'raw_damaged' });
});

test('PG-18: events stand on lines where they fit, and every raw comes back as it was, also those that were stored as JSON', async () => {
  const pair = { event: 'delta', data: '{"a":"b"}' };
  const payloads: readonly RawPayload[] = [
    [pair, { data: '[DONE]' }, { data: '' }],
    ['{"a":1}', '', '[DONE]'],
    { events: [pair], response: null },
    { stream: ['{"a":1}', '{"b":2}'], response: '{"whole":\n"body"}' },
    { response: '{}' },
    [],
    { events: [], response: null },
    [{ event: 'two\nlines', data: '' }],
    [{ data: 'two\nlines' }],
    [{ event: '', data: 'nameless' }],
    ['half \ud83c'],
    ['a', 'b\nc'],
  ];
  const onLines: boolean[] = [];
  for (const payload of payloads) {
    const raw = buildRaw('', { payload });
    const packed = await packRaw(raw);
    onLines.push(gunzipSync(packed).toString('utf8').includes('\n'));
    expect(JSON.stringify(await unpackRaw(packed))).toBe(JSON.stringify(raw));
    expect(JSON.stringify(await unpackRaw(gzipSync(JSON.stringify(raw))))).toBe(JSON.stringify(raw));
  }
  expect(onLines).toEqual([true, true, true, true, false, false, false, false, false, false, false, false]);
});
