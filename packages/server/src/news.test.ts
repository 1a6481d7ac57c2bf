import type { WatchLine } from '@bough/api';
import { readLines } from '@bough/api/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { STORES, useServers } from './testing/on-each-store.ts';
import type { TestServer } from './testing/start.ts';

const on = useServers();

async function watching({ client }: TestServer, project?: string) {
  const stop = new AbortController();
  const { body } = await client.watch(project, stop.signal);
  if (body === null) throw new Error('a watch has a body');
  const lines: WatchLine[] = [];
  const reading = (async () => {
    for await (const line of readLines<WatchLine>(body)) if (line.type !== 'heartbeat') lines.push(line);
  })().catch(() => undefined);
  onTestFinished(async () => {
    stop.abort();
    await reading;
  });
  await expect.poll(() => lines[0]?.type).toBe('open');
  return lines;
}

const turnsOf = (lines: readonly WatchLine[]) => lines.filter((line) => line.type === 'turn');

describe.each(STORES)('what happens elsewhere, on %s', (store) => {
  it('EN-128: a watch of everything says where turns begin and end, in any project', async () => {
    const server = on(store);
    const { project, branch } = await server.client.createProject({ name: 'Elsewhere' });
    const lines = await watching(server);
    await (await server.client.chat(project.id, { ref: 'main', message: '/sim say hello' })).text();
    const where = { projectId: project.id, projectName: 'Elsewhere', branchId: branch.id, branch: 'main' };
    await expect.poll(() => turnsOf(lines).at(-1)).toMatchObject({ ...where, status: 'complete' });
    await (await server.client.chat(project.id, { ref: 'main', message: '/sim fault 400' })).text();
    await expect.poll(() => turnsOf(lines).at(-1)).toMatchObject({ ...where, status: 'error' });
    // Nobody asked about a project: nothing is said about its changes.
    expect(lines.filter(({ type }) => type === 'changed')).toEqual([]);
  });

  it('EN-129: it begins with every turn that is open, so that a waiting one is known after a reload', async () => {
    const server = on(store);
    const { project } = await server.client.createProject({ name: 'Waiting', tools: ['current_time'] });
    const slow = await server.client.chat(project.id, { ref: 'main', message: '/sim slow 2000 /sim say late' });
    const { turnId } = JSON.parse(await firstLine(slow)) as { turnId: string };
    const [open] = await watching(server);
    const turns = open?.type === 'open' ? open.turns.filter(({ projectId }) => projectId === project.id) : [];
    expect(turns).toMatchObject([{ turnId, projectName: 'Waiting', branch: 'main', status: 'running' }]);
    const lines = await watching(server);
    await server.client.interrupt(project.id, { turnId });
    await expect.poll(() => turnsOf(lines).at(-1)).toMatchObject({ turnId, status: 'interrupted' });
  });

  it('EN-112: with a project, it also says what changed in that one, and nothing of others', async () => {
    const server = on(store);
    const [shown, other] = [await server.client.createProject({}), await server.client.createProject({})];
    const lines = await watching(server, shown.project.id);
    const changes = () => lines.filter(({ type }) => type === 'changed');
    await expect.poll(changes).toEqual([{ type: 'changed' }]);
    await server.client.updateProject(other.project.id, { name: 'Other' });
    await server.client.updateProject(shown.project.id, { name: 'Shown' });
    await expect.poll(changes).toEqual([{ type: 'changed' }, { type: 'changed' }]);
    await expect(server.client.watch('nowhere')).rejects.toMatchObject({ status: 404 });
  });
});

async function firstLine({ body }: Response): Promise<string> {
  if (body === null) throw new Error('a turn has a body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  return text.split('\n')[0] ?? '';
}
