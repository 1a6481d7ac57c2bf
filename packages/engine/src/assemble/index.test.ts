import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Project } from '@bough/core';
import { nodeId } from '@bough/core';
import { createProvider, simulatedDeployments } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { PostgresStore, ProjectRecord, Store } from '@bough/store';
import { openPostgresStore } from '@bough/store';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Engine } from '../engine.ts';
import { createEngine } from '../engine.ts';
import type { Environment, ProviderSet } from '../environment.ts';
import { DEFAULT_LIMITS } from '../environment.ts';
import { randomIds } from '../ids/index.ts';
import { createToolBox } from '../tools/tool-box.ts';

let dataDir: string;
let simulator: Simulator;
let store: PostgresStore;
let providers: ProviderSet;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bough-assemble-'));
  simulator = await startSimulator({ seed: 'assemble' });
  store = await openPostgresStore({ dataDir });
  const simulated = simulatedDeployments(simulator.url).map((deployment) => createProvider(deployment, { key: null }));
  const [first] = simulated;
  if (first === undefined) throw new Error('Nothing is simulated.');
  providers = {
    get: (id) => simulated.find(({ deployment }) => deployment.id === id) ?? first,
    list: () => simulated,
    defaults: () => ({ provider: first.deployment.id, model: 'sim-thinker' }),
  };
});
afterAll(async () => {
  await store.close();
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A store in which nothing is cached. */
function uncached(): Store {
  return { ...store, readContext: (project, tip, renderings) => store.readContext(project, tip, renderings) };
}

function begin(over: Store): Engine {
  const env: Environment = {
    store: over,
    providers,
    tools: createToolBox(),
    ids: randomIds,
    now: () => new Date(),
    owner: 'test',
    limits: DEFAULT_LIMITS,
    observe: () => undefined,
  };
  return createEngine(env);
}

function counting(): Store {
  return {
    ...store,
    readContext: async (...query) => {
      const context = await store.readContext(...query);
      reads.push({ nodes: context.nodes.length, spared: context.cachedTurns.length > 0 });
      return context;
    },
  };
}

/** How many nodes each read of a context returned, and whether part of its path was left out. */
const reads: { readonly nodes: number; readonly spared: boolean }[] = [];
let engine: Engine;
let project: Project;
beforeEach(async () => {
  reads.length = 0;
  engine = begin(counting());
  ({ project } = await engine.createProject({ systemPrompt: 'Be brief.', tools: ['calculator'] }));
});

async function say(message: string, ref = 'main'): Promise<void> {
  const { turn } = await engine.chat(project.id, { ref, message });
  for await (const lines of engine.watch(project.id, turn.id, 0, new AbortController().signal))
    for (const line of lines) if (line.type === 'error') throw new Error(line.message);
}

/** What the next message sends, with and without the cache. */
async function checkNext(ref = 'main'): Promise<void> {
  const query = { ref, message: 'And then?' };
  const [known, begun] = await Promise.all([
    engine.previewContext(project.id, query),
    begin(uncached()).previewContext(project.id, query),
  ]);
  expect(known.request.body).toBe(begun.request.body);
  expect(await known.previousBody()).toBe(await begun.previousBody());
  const told = ({ report, path, breakNodeId, estimatedTokens, maxTokens }: typeof known) => {
    return { report, path: path.map(({ id }) => id), breakNodeId, estimatedTokens, maxTokens };
  };
  expect(told(known)).toEqual(told(begun));
}

it('RQ-1: of a conversation only the newest turns are read, also by a server that has just begun', async () => {
  for (let turn = 0; turn < 8; turn += 1) {
    await say(turn % 3 === 0 ? '/sim tools calculator' : `Message ${turn}`);
    await checkNext();
  }
  engine = begin(counting());
  await say('The last one');
  const late = reads.slice(-6);
  expect(late.every(({ spared }) => spared)).toBe(true);
  expect(Math.max(...late.map(({ nodes }) => nodes))).toBeLessThan(12);
  expect(simulator.log().filter(({ kind }) => kind !== 'accepted')).toEqual([]);
});

it('RQ-2: whatever changes in a path, the next request is the one that is made where nothing is cached', async () => {
  for (const message of ['One', '/sim tools calculator', 'Three', 'Four', 'Five']) await say(message);
  const path = await store.path(project.id, (await store.getBranch(project.id, 'main')).tipId ?? nodeId('none'));
  const [first, reply, , caller] = path;
  if (first === undefined || reply === undefined || caller === undefined)
    throw new Error('The conversation is too short.');
  await checkNext();
  await engine.setIncludeThinking(project.id, reply.id, true);
  await checkNext();
  await engine.setIncludeThinking(project.id, reply.id, false);
  await checkNext();
  await say('Six');
  await checkNext();
  expect(reads.at(-1)?.spared).toBe(true);
  await store.deleteNode(project.id, caller.id, 'reparent');
  await checkNext();
  await say('Seven');
  await checkNext();
  await engine.createBranch(project.id, { name: 'elsewhere', fromNodeId: reply.id, model: 'sim-bound' });
  await checkNext('elsewhere');
  await checkNext();
  await importAnew((record) =>
    record.type === 'node' && record.value.id === first.id
      ? { ...record, value: { ...record.value, contentBlocks: [{ type: 'text', text: 'Uno' }] } }
      : record,
  );
  await checkNext();
});

it('RQ-162: behind a summary nothing that it covers is read, and the request is the same to the byte', async () => {
  for (const model of ['sim-bound', 'sim-thinker']) {
    ({ project } = await engine.createProject({ systemPrompt: 'Be brief.', provider: 'simulated', model }));
    for (let turn = 0; turn < 8; turn += 1) await say(`Message ${turn}`);
    const { tipId } = await store.getBranch(project.id, 'main');
    const path = await store.path(project.id, tipId ?? nodeId('none'));
    const choices = { [path[2]?.id ?? '']: 'pin', [path[7]?.id ?? '']: 'leave_out' } as const;
    await engine.changeBranch(project.id, 'main', { choices });
    const { branch } = await engine.compact(project.id, { ref: 'main', upTo: path[11]?.id });
    await checkNext(branch.id);
    for (const message of ['One', 'Two', 'Three']) {
      await say(message, branch.id);
      await checkNext(branch.id);
    }
    reads.length = 0;
    await say('Four', branch.id);
    await checkNext(branch.id);
    expect(reads.length).toBeGreaterThan(1);
    expect(reads.every(({ spared, nodes }) => spared && nodes < 6)).toBe(true);
    // Whatever changes in what it covers, the request is made anew.
    await engine.changeBranch(project.id, branch.id, { choices: { [path[4]?.id ?? '']: 'pin' } });
    await checkNext(branch.id);
    await say('Five', branch.id);
    await checkNext(branch.id);
    await engine.setIncludeThinking(project.id, path[5]?.id ?? nodeId('none'), true);
    await checkNext(branch.id);
    await store.deleteNode(project.id, path[9]?.id ?? nodeId('none'), 'reparent');
    await checkNext(branch.id);
    await say('Six', branch.id);
    await checkNext(branch.id);
    // A summary of it has turns of its own, and so has the conversation without any.
    const again = await engine.compact(project.id, { ref: branch.id });
    await say('Seven', again.branch.id);
    await checkNext(again.branch.id);
    await say('Eight', again.branch.id);
    await checkNext(again.branch.id);
    expect(reads.at(-2)?.spared).toBe(true);
    await checkNext(branch.id);
    await checkNext();
  }
  expect(simulator.log().filter(({ kind }) => kind !== 'accepted')).toEqual([]);
});

/** Stores the project again under the same ids, as if somebody had edited an export by hand. */
async function importAnew(change: (record: ProjectRecord) => ProjectRecord): Promise<void> {
  const records: ProjectRecord[] = [];
  for await (const record of store.exportProject(project.id)) records.push(change(record));
  await store.deleteProject(project.id);
  await store.importProject(Readable.from(records));
}
