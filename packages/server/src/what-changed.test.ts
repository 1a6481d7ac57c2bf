import { readLines } from '@bough/api/client';
import { gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { STORES, useServers } from './testing/on-each-store.ts';
import type { TestServer } from './testing/start.ts';

const on = useServers();

async function grown({ client }: TestServer, turns: number) {
  const { project } = await client.createProject({});
  const messages = Array.from({ length: turns * 2 }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `Message ${at}`,
  }));
  const { nodeIds } = await client.appendMessages(project.id, { messages, ref: 'main' });
  return { id: project.id, nodeIds: nodeIds.map((id) => id ?? '') };
}

/** A request that shows the bytes as they came: fetch would unpack them. */
function bytesOf(url: string, headers: Readonly<Record<string, string>>) {
  return new Promise<{ readonly encoding: string | undefined; readonly body: Buffer; readonly vary: unknown }>(
    (resolve, reject) => {
      request(url, { headers, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const { 'content-encoding': encoding, vary } = response.headers;
          resolve({ encoding, body: Buffer.concat(parts), vary });
        });
      })
        .on('error', reject)
        .end();
    },
  );
}

describe.each(STORES)('reading only what is needed, on %s', (store) => {
  it('EN-70: a page of history is found around a node, at the beginning, and after another page', async () => {
    const server = on(store);
    const { id, nodeIds } = await grown(server, 20);
    const contents = async (query: { around?: string; after?: string; before?: string }) => {
      const page = await server.client.history(id, { ref: 'main', limit: 4, ...query });
      return { page, users: page.groups.map(({ user }) => user?.content) };
    };
    const { page: middle, users } = await contents({ around: nodeIds[21] ?? '' });
    expect(users).toEqual([18, 20, 22, 24].map((at) => `Message ${at}`));
    expect(middle).toMatchObject({ hasMore: true, hasNewer: true, firstNodeId: nodeIds[18], lastNodeId: nodeIds[25] });
    const after = await contents({ after: middle.lastNodeId ?? '' });
    expect(after.users).toEqual([26, 28, 30, 32].map((at) => `Message ${at}`));
    const first = await contents({ after: id });
    expect(first.users).toEqual([0, 2, 4, 6].map((at) => `Message ${at}`));
    expect(first.page).toMatchObject({ hasMore: false, hasNewer: true });
    await expect(contents({ around: 'nowhere' })).rejects.toMatchObject({ status: 404 });
    await expect(contents({ around: id, before: id })).rejects.toMatchObject({ status: 422 });
  });

  it('EN-71: whoever has the graph gets what is new, and all of it after anything was removed', async () => {
    const server = on(store);
    const { id, nodeIds } = await grown(server, 3);
    const known = { after: nodeIds.at(-1) ?? '', count: nodeIds.length };
    expect(await server.client.graph(id, known)).toMatchObject({ skipped: 6, nodes: [] });
    const { nodes } = await server.client.appendMessages(nodeIds.at(-1) ?? '', { content: 'More', ref: 'main' });
    const grownBy = await server.client.graph(id, known);
    expect(grownBy).toMatchObject({ skipped: 6, nodes: [{ id: nodes[0]?.id, parentId: nodeIds.at(-1) }] });
    expect(grownBy.branches).toHaveLength(1);
    await server.client.deleteNode(id, nodeIds[1] ?? '', 'reparent');
    const whole = await server.client.graph(id, known);
    expect(whole.skipped).toBe(0);
    expect(whole.nodes).toHaveLength(6);
  });

  it('EN-272: the graph can be read in parts, and a node be found by the beginning of its id', async () => {
    const server = on(store);
    const { id, nodeIds } = await grown(server, 5);
    const first = await server.client.graph(id, { limit: 4 });
    expect(first).toMatchObject({ skipped: 0, total: 10, lastId: nodeIds.at(-1) });
    expect(first.nodes.map((node) => node.id)).toEqual(nodeIds.slice(0, 4));
    const next = await server.client.graph(id, { limit: 4, after: nodeIds[3] ?? '', count: 4 });
    expect(next.skipped).toBe(4);
    expect(next.nodes.map((node) => node.id)).toEqual(nodeIds.slice(4, 8));
    const [node = ''] = nodeIds;
    expect(await server.client.findNodes(id, node.slice(0, 30))).toEqual({ ids: [node] });
    expect(await server.client.findNodes(id, 'nowhere')).toEqual({ ids: [] });
    await expect(server.client.findNodes(id, 'abc')).rejects.toMatchObject({ status: 422 });
  });

  it('EN-71: the report of a request can be asked for a part of the path', async () => {
    const server = on(store);
    const { id, nodeIds } = await grown(server, 4);
    const [from, to] = [nodeIds[2] ?? '', nodeIds[4] ?? ''];
    const part = await server.client.contextReport(id, { ref: 'main', from, to });
    expect(part.report.map(({ nodeId }) => nodeId)).toEqual(nodeIds.slice(2, 5));
    const whole = await server.client.contextReport(id, { ref: 'main' });
    expect(whole.report.slice(2, 5)).toEqual(part.report);
    expect(part.estimatedTokens).toBe(whole.estimatedTokens);
  });

  it('EN-72: a watch says which turns began and ended, and that anything else may have changed', async () => {
    const server = on(store);
    const { id } = await grown(server, 1);
    const stop = new AbortController();
    const { body } = await server.client.watchProject(id, stop.signal);
    if (body === null) throw new Error('a watch has a body');
    const lines: object[] = [];
    const reading = (async () => {
      for await (const line of readLines(body)) lines.push(line);
    })().catch(() => undefined);
    // A server that is slow may tell of the project's beginning only now, and sends heartbeats meanwhile.
    await expect.poll(() => lines).toContainEqual({ type: 'changed' });
    const stream = await (await server.client.chat(id, { ref: 'main', message: '/sim say hello' })).text();
    const { turnId } = JSON.parse(stream.split('\n')[0] ?? '') as { turnId: string };
    await expect.poll(() => lines.slice(1)).toContainEqual({ type: 'changed', turnIds: [turnId] });
    const before = lines.length;
    await server.client.createBranch(id, { name: 'another', fromRef: 'main' });
    await expect.poll(() => lines.slice(before)).toContainEqual({ type: 'changed' });
    stop.abort();
    await reading;
  });
});

describe('compressed answers', () => {
  it('EN-73: whole answers are compressed for clients that accept it, and for no others', async () => {
    const server = on('files');
    const { id } = await grown(server, 50);
    const url = `${server.url}/api/projects/${id}/history?ref=main&limit=50`;
    const plain = await bytesOf(url, {});
    const packed = await bytesOf(url, { 'accept-encoding': 'gzip' });
    expect(plain.encoding).toBeUndefined();
    expect(packed).toMatchObject({ encoding: 'gzip', vary: expect.stringMatching(/accept-encoding/i) as string });
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    expect(packed.body.length).toBeLessThan(plain.body.length / 5);
  });

  it('EN-73: a stream is not: its lines come as they happen', async () => {
    const server = on('files');
    const { id } = await grown(server, 1);
    const { turnId } = JSON.parse(
      (await (await server.client.chat(id, { ref: 'main', message: '/sim say hello' })).text()).split('\n')[0] ?? '',
    ) as { turnId: string };
    const stream = `${server.url}/api/projects/${id}/turns/${turnId}/stream`;
    const { encoding, body } = await bytesOf(stream, { 'accept-encoding': 'gzip' });
    expect(encoding).toBeUndefined();
    expect(body.toString()).toContain('"type":"done"');
  });
});

describe('a provider that refuses for now', () => {
  it('EN-74: a long pause is told in the stream, with its reason and its length; a short one is not', async () => {
    const server = on('files');
    const { id } = await grown(server, 1);
    const linesOf = async (message: string) =>
      (await (await server.client.chat(id, { ref: 'main', message })).text())
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { type: string; code?: string; milliseconds?: number });
    const long = await linesOf('/sim fault 429 3 x1 /sim say after all');
    expect(long.filter(({ type }) => type === 'waiting')).toMatchObject([{ code: 'rate_limit', milliseconds: 3_000 }]);
    expect(long.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
    const short = await linesOf('/sim fault 429 1 x1 /sim say at once');
    expect(short.filter(({ type }) => type === 'waiting')).toEqual([]);
  });
});
