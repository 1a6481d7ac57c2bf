import type { Branch, Call, Project, Turn } from '@bough/core';
import { branchId, callId, nodeId, turnId } from '@bough/core';
import type { ProjectRecord, Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { sketch, SKETCH_PROJECT } from '@bough/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importProject } from './index.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const PROJECT: Project = {
  id: SKETCH_PROJECT,
  name: 'Tides',
  description: null,
  systemPrompt: null,
  defaults: {},
  archived: false,
  createdAt: TIME,
};

let dir: string;
let store: Store;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-import-project-'));
  store = await openFilesStore({ directory: dir });
});
afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const branch = (id: string, name: string, tip: string): Branch => ({
  id: branchId(id),
  projectId: SKETCH_PROJECT,
  name,
  tipId: nodeId(tip),
  forkedFromId: null,
  envelope: { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'off' },
  replayBy: 'issuer',
  keepToolsAfterBreak: false,
  pinned: false,
  hidden: false,
  color: null,
  createdAt: TIME,
});

const turn = (id: string, status: Turn['status']): Turn => ({
  id: turnId(id),
  projectId: SKETCH_PROJECT,
  branchId: null,
  isThinkingMode: false,
  status,
  createdAt: TIME,
});

async function* records(
  tree: string,
  turns: readonly Turn[],
  ...branches: readonly Branch[]
): AsyncGenerator<ProjectRecord, void> {
  yield { type: 'project', value: PROJECT };
  for (const value of turns) yield { type: 'turn', value };
  for (const value of sketch(tree)) yield { type: 'node', value };
  for (const value of branches) yield { type: 'branch', value };
}

const OLD = 'u1 user turn=t1: Why are there tides?\na1 assistant sim/sim-1 turn=t1: The moon.';
const GROWN = `${OLD}\nu2 user turn=t2: And the sun?\na2 assistant sim/sim-1 turn=t2: It pulls`;
const first = turn('t1', 'complete');
const old = () => records(OLD, [first], branch('b1', 'main', 'a1'));
const grown = (status: Turn['status'], ...more: readonly Branch[]) =>
  records(GROWN, [first, turn('t2', status)], branch('b1', 'main', 'a2'), ...more);

describe('a project from elsewhere', () => {
  it('IP-1: is stored whole where it is new, and a second time changes nothing', async () => {
    expect(await importProject(store, old())).toMatchObject({ outcome: 'new', addedNodes: 2, leftOut: [] });
    expect(await importProject(store, old())).toMatchObject({ outcome: 'unchanged', addedNodes: 0 });
    expect((await store.graph(SKETCH_PROJECT)).nodes).toHaveLength(2);
  });

  it('IP-1: that breaks off on the way leaves nothing', async () => {
    const broken = async function* (): AsyncGenerator<ProjectRecord, void> {
      yield* old();
      throw new Error('The file ends here.');
    };
    await expect(importProject(store, broken())).rejects.toThrow('The file ends here.');
    expect(await store.listProjects()).toEqual([]);
  });

  it('IP-1: that does not begin with its project is refused', async () => {
    const headless = old();
    await headless.next();
    await expect(importProject(store, headless)).rejects.toMatchObject({ code: 'malformed_record' });
  });

  it('EN-91: asks before its tools run, whatever was allowed where it comes from', async () => {
    const trusted = (id: string, name: string): Branch => {
      const made = branch(id, name, 'a1');
      return { ...made, envelope: { ...made.envelope, allowedTools: ['files__write'] } };
    };
    await importProject(store, records(OLD, [first], trusted('b1', 'main')));
    await importProject(store, records(OLD, [first], trusted('b1', 'main'), trusted('b2', 'other')));
    const branches = await store.listBranches(SKETCH_PROJECT);
    expect(branches.map(({ name }) => name)).toEqual(['main', 'other']);
    expect(branches.flatMap(({ envelope }) => envelope.allowedTools ?? [])).toEqual([]);
  });

  it.each(['complete', 'error', 'interrupted', 'running'] as const)(
    'IP-2: gets the turns that it lacks; one that was %s when it was written runs nowhere afterwards',
    async (status) => {
      await importProject(store, old());
      expect(await importProject(store, grown(status))).toMatchObject({ outcome: 'grown', addedNodes: 2 });
      const stored = await store.getTurn(SKETCH_PROJECT, turnId('t2'));
      expect(stored.status).toBe(status === 'running' ? 'complete' : status);
      expect(await store.openTurns(SKETCH_PROJECT)).toEqual([]);
      expect((await store.getBranch(SKETCH_PROJECT, 'main')).tipId).toBe('a2');
    },
  );

  const call = (id: string, node: string | null): Call => ({
    id: callId(id),
    projectId: SKETCH_PROJECT,
    turnId: first.id,
    nodeId: node === null ? null : nodeId(node),
    provider: 'simulated',
    deployment: 'simulated@local',
    model: 'sim-1',
    status: node === null ? 'error' : 'complete',
    requestHash: id,
    providerRequestId: null,
    responseId: null,
    startedAt: TIME,
    firstByteAt: null,
    endedAt: TIME,
    usage: null,
    cost: null,
    errorCode: null,
  });
  async function* withCalls(from: AsyncIterable<ProjectRecord>, ...calls: readonly Call[]) {
    yield* from;
    for (const value of calls) yield { type: 'call', value, raw: null } as const;
  }
  const on = { ...first, branchId: branchId('b1') };
  const MORE = `${OLD}\na2 assistant sim/sim-1 turn=t1: And the sun.`;

  it('IP-4: a turn that was reopened where it comes from goes on here, with its calls', async () => {
    await importProject(store, withCalls(records(OLD, [on], branch('b1', 'main', 'a1')), call('c1', 'a1')));
    const later = () =>
      withCalls(
        records(MORE, [{ ...on, status: 'interrupted' }], branch('b1', 'main', 'a2')),
        call('c1', 'a1'),
        call('c2', null),
        call('c3', 'a2'),
      );
    const report = await importProject(store, later());
    expect(report).toMatchObject({ outcome: 'grown', addedNodes: 1, leftOut: [] });
    expect((await store.callsOfTurn(SKETCH_PROJECT, first.id)).map(({ id }) => id)).toEqual(['c1', 'c2', 'c3']);
    expect(await store.getTurn(SKETCH_PROJECT, first.id)).toEqual({ ...on, status: 'interrupted' });
    expect((await store.getBranch(SKETCH_PROJECT, 'main')).tipId).toBe('a2');
    expect(await importProject(store, later())).toMatchObject({ outcome: 'unchanged', addedNodes: 0, leftOut: [] });
  });

  it('IP-4: where its branch is gone, the calls that cannot be stored any more are told', async () => {
    await importProject(store, records(OLD, [on], branch('b1', 'main', 'a1')));
    await store.deleteBranch(SKETCH_PROJECT, branchId('b1'));
    const report = await importProject(store, withCalls(records(MORE, [on]), call('c1', 'a2')));
    expect(report).toMatchObject({ addedNodes: 1, leftOut: ['call of a turn that had ended here'] });
    expect((await store.getTurn(SKETCH_PROJECT, first.id)).status).toBe('complete');
  });

  it('EN-263: what was rewritten there since stays as it was, and is told', async () => {
    await importProject(store, old());
    const rewritten = GROWN.replace('The moon.', 'The sun, and the moon.');
    const report = await importProject(
      store,
      records(rewritten, [first, turn('t2', 'complete')], branch('b1', 'main', 'a2')),
    );
    expect(report).toMatchObject({ addedNodes: 2, leftOut: ['change of a message that is here already'] });
    const [kept] = await store.getNodes(SKETCH_PROJECT, [nodeId('a1')]);
    expect(kept?.contentBlocks).toEqual([{ type: 'text', text: 'The moon.' }]);
    expect((await importProject(store, grown('complete'))).leftOut).toEqual([]);
  });

  it('EN-260: gets the branches that its new turns are on, with their calls', async () => {
    await importProject(store, old());
    const more = `${OLD}\nu2 user turn=t2: And the sun?\na2 assistant sim/sim-1 turn=t2: It pulls`;
    const other = { ...turn('t2', 'complete'), branchId: branchId('b2') };
    const later = () =>
      withCalls(records(more, [first, other], branch('b1', 'main', 'a1'), branch('b2', 'other', 'a2')), {
        ...call('c2', 'a2'),
        turnId: other.id,
      });
    expect(await importProject(store, later())).toMatchObject({ outcome: 'grown', addedNodes: 2, leftOut: [] });
    expect((await store.getBranch(SKETCH_PROJECT, 'other')).tipId).toBe('a2');
    expect((await store.callsOfTurn(SKETCH_PROJECT, other.id)).map(({ id }) => id)).toEqual(['c2']);
    expect(await importProject(store, later())).toMatchObject({ outcome: 'unchanged', addedNodes: 0 });
  });

  it('EN-261: a branch that was continued here stays; what is new gets one beside it, which grows', async () => {
    await importProject(store, old());
    const own = sketch(`${OLD}\nx1 user: My own way`).slice(-1);
    const move = { branchId: branchId('b1'), expected: nodeId('a1'), next: nodeId('x1') };
    await store.appendNodes(SKETCH_PROJECT, own, move);
    await importProject(store, grown('complete'));
    const longer = `${GROWN}\nu3 user: On`;
    await importProject(store, records(longer, [first, turn('t2', 'complete')], branch('b1', 'main', 'u3')));
    const branches = await store.listBranches(SKETCH_PROJECT);
    expect(branches.map(({ name, tipId }) => [name, tipId])).toEqual([
      ['main', 'x1'],
      ['main 2', 'u3'],
    ]);
  });

  it('EN-262: a branch on which nobody had answered gets the model of its first reply', async () => {
    const asked = 'u1 user turn=t1: Why are there tides?';
    await importProject(store, records(asked, [first], branch('b1', 'main', 'u1')));
    const made = branch('b1', 'main', 'a1');
    const answered = { ...made, envelope: { ...made.envelope, model: 'sim-2' } };
    await importProject(store, records(OLD, [first], answered));
    expect((await store.getBranch(SKETCH_PROJECT, 'main')).envelope.model).toBe('sim-2');
    const later = branch('b1', 'main', 'a2');
    await importProject(store, records(GROWN, [first, turn('t2', 'complete')], later));
    expect((await store.getBranch(SKETCH_PROJECT, 'main')).envelope.model).toBe('sim-2');
  });

  it('IP-3: moves a branch only along its own path, and gives a new one a name that is free', async () => {
    await importProject(store, old());
    const main = branchId('b1');
    const other = sketch(`${OLD}\nx1 user: Another way`).slice(-1);
    await store.appendNodes(SKETCH_PROJECT, other, { branchId: main, expected: nodeId('a1'), next: nodeId('x1') });
    await importProject(store, grown('complete', branch('b2', 'main', 'a2')));
    const branches = await store.listBranches(SKETCH_PROJECT);
    expect(branches.map(({ name, tipId }) => [name, tipId])).toEqual([
      ['main', 'x1'],
      ['main 2', 'a2'],
    ]);
  });
});
