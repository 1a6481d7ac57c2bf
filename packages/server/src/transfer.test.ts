import type { ImportLine } from '@bough/api';
import { foreignConversations, memoryInUse } from '@bough/testkit';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, codeOf } from './testing/ask.ts';
import type { TestServer } from './testing/start.ts';
import { say, startTestServer } from './testing/start.ts';

const { chatGpt, claude } = foreignConversations;
const BYTES = { 'content-type': 'application/octet-stream' };

const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.dispose();
});

async function start(file: unknown = {}, env: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const server = await startTestServer(env, file);
  open.push(server);
  return server;
}

const textOf = (value: unknown): Blob => new Blob([typeof value === 'string' ? value : JSON.stringify(value)]);

async function linesOf(answer: Promise<Response>): Promise<readonly ImportLine[]> {
  return (await (await answer).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ImportLine);
}

const many = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({
    ...chatGpt(),
    conversation_id: `c-${index}`,
    title: `Tides ${index}`,
  }));

async function scratchOf({ dataDir }: TestServer): Promise<readonly string[]> {
  return readdir(join(dataDir, 'scratch')).catch(() => []);
}

/** An upload whose bytes the test sends one by one. */
function uploading(server: TestServer, headers: Readonly<Record<string, string>> = {}): ClientRequest {
  const sent = request(`${server.url}/api/import`, { method: 'POST', headers: { ...BYTES, ...headers }, agent: false });
  sent.on('error', () => undefined);
  return sent;
}

describe('importing over HTTP', () => {
  it('SV-190: a session of an agent is imported with its model, and the report tells of its reasoning', async () => {
    const server = await start();
    const entry = (id: string, parentId: string | null, message: object) => ({
      type: 'message',
      id,
      parentId,
      timestamp: '2026-01-01T00:00:01.000Z',
      message,
    });
    const content = [{ type: 'thinking', thinking: 'Hm.', thinkingSignature: 'sig' }];
    const maker = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-opus-4-6' };
    const records = [
      { type: 'session', version: 3, id: 'one', timestamp: '2026-01-01T00:00:00.000Z' },
      entry('u1', null, { role: 'user', content: 'Why?' }),
      entry('a1', 'u1', { role: 'assistant', content, ...maker }),
    ];
    const file = textOf(records.map((record) => JSON.stringify(record)).join('\n'));
    const last = (await linesOf(server.client.importFile(file, { name: 'x_one.jsonl' }))).at(-1);
    if (last?.type !== 'report') throw new Error(JSON.stringify(last));
    expect(last.report).toMatchObject({ nodes: 2, reasoning: { goesBack: 1, stays: {} } });
    const { branches } = await server.client.listBranches(last.report.projects[0]?.id ?? '');
    expect(branches).toMatchObject([{ name: 'main', provider: 'anthropic', model: 'claude-opus-4-6' }]);
  });

  it('SV-60: an import tells how far it is, ends in a report, and a second one adds nothing', async () => {
    const server = await start();
    const file = textOf([...many(60), claude]);
    const lines = await linesOf(server.client.importFile(file, { name: 'conversations.json' }));
    const last = lines.at(-1);
    expect(lines.slice(0, -1).every(({ type }) => type === 'progress')).toBe(true);
    expect(lines.length).toBeGreaterThan(1);
    expect(last).toMatchObject({ type: 'report', report: { leftOut: { image_asset_pointer: 60, attachment: 1 } } });
    if (last?.type !== 'report') throw new Error('no report');
    expect(new Set(last.report.projects.map(({ outcome }) => outcome))).toEqual(new Set(['new']));
    expect((await server.client.listProjects()).total).toBe(61);
    const [again] = (await linesOf(server.client.importFile(file))).slice(-1);
    if (again?.type !== 'report') throw new Error('no report');
    expect(new Set(again.report.projects.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
    // What was imported can be gone on with.
    const id = last.report.projects.at(-1)?.id ?? '';
    await say(server.client, id, 'main', '/sim say more');
    expect(await scratchOf(server)).toEqual([]);
  });

  it('EN-273: the report counts what became of the projects, and lists the new ones first, a thousand at most', async () => {
    const server = await start();
    const messages = (index: number): object => ({ messages: [{ role: 'user', content: `Number ${index}` }] });
    const told = async (from: number, to: number) => {
      const all = Array.from({ length: to - from }, (_, at) => JSON.stringify(messages(from + at)));
      const file = new TextEncoder().encode(all.join('\n'));
      const last = (await linesOf(server.client.importFile(file, { name: 'a.jsonl', onError: 'skip' }))).at(-1);
      if (last?.type !== 'report') throw new Error('no report');
      return last.report;
    };
    expect((await told(0, 2)).outcomes).toEqual({ new: 2, grown: 0, unchanged: 0 });
    const { outcomes, projects } = await told(0, 1_010);
    expect(outcomes).toEqual({ new: 1_008, grown: 0, unchanged: 2 });
    expect(projects).toHaveLength(1_000);
    expect(projects.every(({ outcome }) => outcome === 'new')).toBe(true);
  });

  it('SV-60: a torn or unknown file is a sentence, and nothing is written; the readable rest only when it is asked for', async () => {
    const server = await start();
    const whole = JSON.stringify(many(3));
    const torn = textOf(whole.slice(0, -40));
    for (const file of [
      torn,
      textOf('this is a shopping list'),
      textOf({ milk: 2 }),
      textOf(`PK\u0003\u0004 and no more`),
    ]) {
      const [line] = (await linesOf(server.client.importFile(file))).slice(-1);
      expect(line).toMatchObject({ type: 'error', detail: expect.stringMatching(/\.$/) });
    }
    expect((await server.client.listProjects()).total).toBe(0);
    const [line] = (await linesOf(server.client.importFile(torn, { onError: 'skip' }))).slice(-1);
    expect(line).toMatchObject({ type: 'report', report: { problems: [{ where: 'record 3' }] } });
    expect((await server.client.listProjects()).total).toBe(2);
    expect(await scratchOf(server)).toEqual([]);
    expect(server.logged().filter((entry) => entry.includes('"error"'))).toEqual([]);
  });

  it('SV-61: the size of a file is limited by the configuration, whether it is announced or not', async () => {
    const server = await start({ limits: { importMaxBytes: 10_000 } });
    expect(await server.client.importLimits()).toEqual({ maxBytes: 10_000 });
    await expect(server.client.importFile(textOf('x'.repeat(10_001)))).rejects.toMatchObject({
      status: 413,
      code: 'file_too_large',
      message: expect.stringContaining('limits.importMaxBytes'),
    });
    const answered = new Promise<number>((resolve) => {
      const sent = uploading(server, { 'transfer-encoding': 'chunked' });
      sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      sent.write('x'.repeat(6_000));
      sent.write('x'.repeat(6_000));
    });
    expect(await answered).toBe(413);
    expect((await linesOf(server.client.importFile(textOf('x'.repeat(10_000))))).at(-1)).toMatchObject({
      type: 'error',
    });
    await expect(server.client.importFile(textOf(''))).rejects.toMatchObject({ status: 422, code: 'empty_file' });
    await expect.poll(() => scratchOf(server)).toEqual([]);
  });

  it('AP-13: a file is sent byte for byte, and its answer is followed as it comes', async () => {
    const server = await start();
    const text = `\ufeff[{"role":"user","content":"${'🌳 \\u0000'.repeat(3)}"},{"role":"assistant","content":"Yes."}]`;
    const bytes = new TextEncoder().encode(text.slice(1));
    const answer = await server.client.importFile(bytes, { name: 'trees.json' });
    expect(answer.headers.get('content-type')).toContain('ndjson');
    const last = JSON.parse((await answer.text()).trim().split('\n').at(-1) ?? '') as ImportLine;
    if (last.type !== 'report') throw new Error(JSON.stringify(last));
    const { groups } = await server.client.history(last.report.projects[0]?.id ?? '', { ref: 'main' });
    expect(groups[0]?.user?.content).toContain('🌳');
  });

  it('SV-61: a body of another type is refused before it is read', async () => {
    const server = await start();
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x'])
      expect(
        codeOf(
          await ask(`${server.url}/api/import`, { method: 'POST', headers: { 'content-type': type }, body: '[]' }),
        ),
      ).toBe('unsupported_media_type');
  });

  it('SV-61: a large file takes no memory', { timeout: 120_000 }, async () => {
    const server = await start();
    const piece = Buffer.alloc(1 << 20, ' ');
    const megabytes = 160;
    const before = memoryInUse();
    let most = 0;
    const sent = uploading(server, { 'transfer-encoding': 'chunked' });
    const answer = new Promise<string>((resolve) => {
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(text));
      });
    });
    for (let at = 0; at < megabytes; at += 1) {
      if (!sent.write(piece)) await new Promise((resolve) => sent.once('drain', resolve));
      if (at % 8 === 0) most = Math.max(most, memoryInUse() - before);
    }
    sent.end(JSON.stringify([chatGpt()]));
    expect(await answer).toContain('"outcome":"new"');
    expect(most / 2 ** 20).toBeLessThan(megabytes / 4);
  });

  it('SV-62: a client that is killed while it sends leaves nothing behind', async () => {
    const server = await start();
    const sent = uploading(server, { 'content-length': '1000000' });
    sent.write(JSON.stringify(many(3)));
    await expect.poll(async () => (await scratchOf(server)).length).toBe(1);
    sent.destroy();
    await expect.poll(() => scratchOf(server)).toEqual([]);
    expect((await server.client.listProjects()).total).toBe(0);
    expect(server.logged().filter((entry) => entry.includes('"status":5'))).toEqual([]);
  });

  it('SV-62: a client that leaves while its file is read ends the import', async () => {
    const server = await start();
    const sent = uploading(server);
    const begun = new Promise<void>((resolve) => {
      sent.on('response', (response) => response.once('data', () => resolve()));
    });
    sent.end(JSON.stringify(many(4_000)));
    await begun;
    sent.destroy();
    await expect.poll(() => scratchOf(server), { timeout: 20_000 }).toEqual([]);
    expect((await server.client.listProjects({ limit: 1 })).total).toBeLessThan(4_000);
  });

  it('SV-62: a server that stops ends its imports first, and one that was killed cleans up at its next start', async () => {
    const server = await start();
    const sent = uploading(server, { 'content-length': '1000000' });
    sent.write('[');
    await expect.poll(async () => (await scratchOf(server)).length).toBe(1);
    await server.stop();
    expect(await scratchOf(server)).toEqual([]);
    await mkdir(join(server.dataDir, 'scratch', '999999999-killed'), { recursive: true });
    await writeFile(join(server.dataDir, 'scratch', '999999999-killed', 'upload'), 'half');
    open.splice(0, open.length, await server.restart());
    expect(await scratchOf(server)).toEqual([]);
  });
});

describe('exporting over HTTP', () => {
  const NAME = 'Tides: why “twice” a day? 潮汐';

  async function told(server: TestServer): Promise<string> {
    const { project } = await server.client.createProject({ name: NAME, tools: ['calculator'] });
    await say(server.client, project.id, 'main', '/sim tools calculator');
    await server.client.createBranch(project.id, { name: 'side/way', fromRef: 'main' });
    await say(server.client, project.id, 'side/way', '/sim unicode');
    return project.id;
  }

  it('SV-63: a project is a ZIP file that another server imports whole', async () => {
    const [from, to] = [await start(), await start()];
    const id = await told(from);
    const answer = await from.client.exportProject(id);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Tides why _twice_ a day _.zip"; filename*=UTF-8''${encodeURIComponent('Tides why “twice” a day 潮汐')}.zip`,
    );
    const file = await answer.blob();
    expect((await linesOf(to.client.importFile(file))).at(-1)).toMatchObject({
      type: 'report',
      report: { projects: [{ id, name: NAME, format: 'bundle', outcome: 'new' }], branches: 2, leftOut: {} },
    });
    expect((await to.client.graph(id)).nodes).toEqual((await from.client.graph(id)).nodes);
    // The copy's copy is the same file.
    expect(await (await to.client.exportProject(id)).arrayBuffer()).toEqual(await file.arrayBuffer());
    expect([...(await scratchOf(from)), ...(await scratchOf(to))]).toEqual([]);
  });

  it('SV-63: a name of any kind gives a file a name', async () => {
    const server = await start();
    for (const name of [`${'x'.repeat(79)}🌳`, '../../etc/passwd', '...', 'con"\\tab\t', '🌳'.repeat(60)]) {
      const { project } = await server.client.createProject({ name });
      const answer = await server.client.exportProject(project.id, { format: 'markdown' });
      const shown = answer.headers.get('content-disposition') ?? '';
      expect(shown).toMatch(/^attachment; filename="[^"\\/]+\.md"; filename\*=UTF-8''[^ /]+\.md$/);
      await answer.text();
    }
  });

  it('SV-63: a branch is a document, with reasoning as it is asked for', async () => {
    const server = await start();
    const id = await told(server);
    const markdown = await server.client.exportProject(id, { format: 'markdown', ref: 'side/way' });
    expect(markdown.headers.get('content-disposition')).toContain('(side way).md"');
    expect(await markdown.text()).toContain(`# ${NAME} (side/way)`);
    const html = await server.client.exportProject(id, { format: 'html', reasoning: 'none' });
    expect(html.headers.get('content-disposition')).toMatch(/^attachment; filename="[^"]+\.html"/);
    const page = await html.text();
    expect(page).toContain('<h1>Tides: why “twice” a day? 潮汐</h1>');
    expect(page).not.toContain('Reasoning');
    await expect(server.client.exportProject(id, { format: 'html', ref: 'nowhere' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(server.client.exportProject('nothing')).rejects.toMatchObject({ status: 404 });
  });

  it('SV-63: a download that is broken off, or only looked at, leaves nothing behind', async () => {
    const server = await start();
    const id = await told(server);
    expect((await ask(`${server.url}/api/projects/${id}/export`, { method: 'HEAD' })).status).toBe(200);
    const stop = new AbortController();
    const answer = await fetch(`${server.url}/api/projects/${id}/export`, { signal: stop.signal });
    await answer.body?.getReader().read();
    stop.abort();
    await expect.poll(() => scratchOf(server)).toEqual([]);
  });
});
