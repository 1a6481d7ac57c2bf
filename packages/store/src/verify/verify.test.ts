import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Branch, ContentBlock, ImageBlock, Project, TreeNode, Turn } from '@bough/core';
import { blobHash, capThinking, createNode, nodeId } from '@bough/core';
import { buildContentBlocksForProvider } from '@bough/providers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildCall, buildRaw, buildTurn, freshId, LONG_LEASE, nextTime, seedProject } from '../contract/build.ts';
import { withFiles } from '../contract/sections/blobs.ts';
import { snapshotProject } from '../contract/snapshot.ts';
import type { FilesStore } from '../files/index.ts';
import { openFilesStore } from '../files/index.ts';
import { checkAgainstRaw } from './checks/derived.ts';
import { applyRepairs, formatReport, planRepairs, verifyStore } from './index.ts';

let directory = '';
let store: FilesStore;
let project: Project;
let branch: Branch;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bough-verify-'));
  store = await openFilesStore({ directory });
  ({ project, branch } = await seedProject(store));
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const text = (value: string): ContentBlock => ({ type: 'text', text: value });

function message(parent: TreeNode | null, turn: Turn, given: Partial<Parameters<typeof createNode>[0]>): TreeNode {
  return createNode({
    id: nodeId(freshId('node')),
    projectId: project.id,
    parentId: parent?.id ?? null,
    role: 'user',
    contentBlocks: [text('question')],
    createdAt: nextTime(),
    turnId: turn.id,
    createdOnBranch: branch.id,
    ...given,
  });
}

const ANSWER = ['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_stop'];
const rawOf = (answer: string) => {
  const data = [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'sim-1', content: [] },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: answer } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_stop' },
  ];
  return buildRaw('', {
    payload: data.map((event, index) => ({ event: ANSWER[index] ?? '', data: JSON.stringify(event) })),
  });
};

/** A turn with a tool call and its result, ended by an answer with raw; every derived field is right. */
async function seedHealthyTurn(tip: TreeNode | null) {
  const turn = buildTurn(project, branch);
  const user = message(tip, turn, {});
  const calling = message(user, turn, {
    role: 'assistant',
    contentBlocks: [{ type: 'tool-use', id: 'c1', name: 'add', parameters: {} }],
  });
  const result = message(calling, turn, { role: 'tool', contentBlocks: [text('3')], toolCallId: 'c1' });
  const answer = message(result, turn, { role: 'assistant', contentBlocks: [text('It is 3.')] });
  await store.beginTurn({ turn, owner: 'owner-1', leaseMs: LONG_LEASE, nodes: [user] });
  await store.commitTurn({
    projectId: project.id,
    turnId: turn.id,
    owner: 'owner-1',
    nodes: [calling, result, answer],
    calls: [{ call: buildCall(turn, answer), raw: rawOf('It is 3.') }],
    renderings: [],
    tip: { branchId: branch.id, expected: tip?.id ?? null, next: answer.id },
    status: 'complete',
  });
  return { turn, user, calling, result, answer };
}

/** A turn of a client: its reply ends with a call, and its second request begins like its first. */
async function seedRecorded() {
  const turn = buildTurn(project, branch);
  const user = message(null, turn, { trail: 'one' });
  const contentBlocks = [{ type: 'tool-use', id: 'c1', name: 'add', parameters: {} }];
  const reply = message(user, turn, { role: 'assistant', contentBlocks, trail: 'two' });
  const exchange = { client: 'sdk', session: null, mode: 'record', protocol: 'gemini', path: '/' } as const;
  const first = buildCall(turn, null, {
    status: 'error',
    exchange: { ...exchange, came: [{ node: user.id, key: 'gateway/1' }] },
  });
  const came = [{ call: first.id, of: 'sent', from: 0, to: 1 }] as const;
  const second = buildCall(turn, reply, { exchange: { ...exchange, came } });
  await store.beginTurn({ turn, owner: 'o', leaseMs: LONG_LEASE, nodes: [user] });
  await store.commitTurn({
    projectId: project.id,
    turnId: turn.id,
    owner: 'o',
    nodes: [reply],
    calls: [first, second].map((call) => ({ call, raw: null })),
    renderings: [{ nodeId: user.id, key: 'gateway/1', bytes: '{}' }],
    status: 'complete',
  });
  return { turn, user, reply, calls: [first, second] as const };
}

/** Changes a file as a person with an editor would. */
async function edit(path: string, change: (json: Record<string, unknown>) => void): Promise<void> {
  await store.close();
  const file = join(directory, path);
  const json = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  change(json);
  await writeFile(file, JSON.stringify(json));
  store = await openFilesStore({ directory });
}

const nodePath = ({ id }: TreeNode): string => `${project.id}/nodes/${id}.json`;
const turnPath = ({ id }: Turn): string => `${project.id}/bough/turns/${id}.json`;
const verify = () => verifyStore(store, { blocksOfRaw: buildContentBlocksForProvider });
const codes = async () => (await verify()).findings.map(({ code, subject }) => `${code} ${subject}`);

describe('verifyStore', () => {
  test('VE-1: a healthy store has no findings, and reading it changes nothing', async () => {
    const first = await seedHealthyTurn(null);
    await seedHealthyTurn(first.answer);
    const before = await snapshotProject(store, project.id);
    const report = await verify();
    expect(report).toStrictEqual({
      checked: { projects: 1, nodes: 8, turns: 2, calls: 2, files: 0 },
      comparedWithRaw: true,
      findings: [],
    });
    expect(formatReport(report)).toContain('Everything fits together.');
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
    expect((await verifyStore(store, { project: project.id })).comparedWithRaw).toBe(false);
  });

  test('VE-2: a parent that is missing, and parents in a circle', async () => {
    const first = await seedHealthyTurn(null);
    const second = await seedHealthyTurn(first.answer);
    await edit(nodePath(first.calling), (json) => void (json['parent_id'] = 'gone'));
    expect(await codes()).toContain(`parent_missing node ${first.calling.id}`);
    await edit(nodePath(first.calling), (json) => void (json['parent_id'] = second.answer.id));
    const found = await codes();
    for (const { id } of [first.calling, first.answer, second.user, second.answer]) {
      expect(found).toContain(`parents_in_a_circle node ${id}`);
    }
    expect(found).not.toContain(`parents_in_a_circle node ${first.user.id}`);
    await expect(store.path(project.id, second.answer.id)).rejects.toMatchObject({ code: 'malformed_file' });
  });

  test('VE-3: a tip and a fork point that are missing; the tip can be moved to the newest node of the branch', async () => {
    const { answer } = await seedHealthyTurn(null);
    await edit(`${project.id}/bough/branches/${branch.id}.json`, (json) => {
      json['tipId'] = 'gone';
      json['forkedFromId'] = 'gone too';
    });
    const { findings } = await verify();
    expect(findings.map(({ code }) => code)).toStrictEqual(['tip_missing', 'fork_point_missing']);
    const plan = planRepairs(findings);
    expect(plan).toStrictEqual([
      { type: 'move_tip', projectId: project.id, branchId: branch.id, expected: 'gone', next: answer.id },
    ]);
    expect(await applyRepairs(store, plan, { dryRun: true })).toMatchObject([{ result: 'planned' }]);
    expect((await store.getBranch(project.id, branch.id)).tipId).toBe('gone');
    expect(await applyRepairs(store, plan, { dryRun: false })).toMatchObject([{ result: 'done' }]);
    expect((await store.getBranch(project.id, branch.id)).tipId).toBe(answer.id);
    expect(await codes()).toStrictEqual([`fork_point_missing branch ${branch.name}`]);
    expect(await applyRepairs(store, plan, { dryRun: false })).toMatchObject([{ result: 'refused' }]);
  });

  test('VE-4: turns that are missing, torn, or without a reply', async () => {
    const first = await seedHealthyTurn(null);
    const second = await seedHealthyTurn(first.answer);
    await edit(nodePath(second.answer), (json) => void (json['parent_id'] = first.user.id));
    expect(await codes()).toContain(`turn_torn turn ${second.turn.id}`);
    await store.close();
    await rm(join(directory, turnPath(first.turn)));
    store = await openFilesStore({ directory });
    expect(await codes()).toContain(`turn_missing node ${first.answer.id}`);
    await store.deleteNode(project.id, second.calling.id, 'cascade');
    await store.deleteNode(project.id, second.answer.id, 'cascade');
    expect(await codes()).toContain(`turn_without_reply turn ${second.turn.id}`);
  });

  test('VE-5: calls without a result, results without a call, results twice', async () => {
    const { turn, user, calling, result } = await seedHealthyTurn(null);
    const early = message(calling, turn, { role: 'assistant', contentBlocks: [text('too early')] });
    const stray = message(user, turn, { role: 'tool', contentBlocks: [text('stray')], toolCallId: 'c9' });
    const twice = message(result, turn, { role: 'tool', contentBlocks: [text('again')], toolCallId: 'c1' });
    await store.appendNodes(project.id, [early, stray, twice]);
    expect((await codes()).sort()).toStrictEqual(
      [
        `tool_call_without_result node ${calling.id}`,
        `tool_result_twice node ${twice.id}`,
        `tool_result_without_call node ${stray.id}`,
      ].sort(),
    );
  });

  test('VE-5: a turn that broke off may end with a call', async () => {
    const turn = buildTurn(project, branch);
    const user = message(null, turn, {});
    const calling = message(user, turn, {
      role: 'assistant',
      contentBlocks: [{ type: 'tool-use', id: 'c1', name: 'add', parameters: {} }],
    });
    await store.beginTurn({ turn, owner: 'o', leaseMs: LONG_LEASE, nodes: [user, calling] });
    const commit = { projectId: project.id, turnId: turn.id, owner: 'o', nodes: [], calls: [], renderings: [] };
    await store.commitTurn({ ...commit, status: 'interrupted' });
    expect(await codes()).toStrictEqual([]);
  });

  test('VE-5: a client runs its tools itself, so what it was told may end with a call', async () => {
    const { turn } = await seedRecorded();
    expect(await codes()).toStrictEqual([]);
    expect((await store.getTurn(project.id, turn.id)).status).toBe('complete');
  });

  test('VE-18: a request of a client that cannot be rebuilt any more is a note', async () => {
    const { user, calls } = await seedRecorded();
    const [first, second] = calls;
    await edit(`${project.id}/bough/renderings/${user.id}.json`, (json) => void (json['renderings'] = []));
    const { findings } = await verify();
    expect(findings.map(({ code, severity, subject }) => [code, severity, subject])).toStrictEqual([
      ['request_incomplete', 'note', `call ${first.id}`],
    ]);
    await edit(turnPath({ ...buildTurn(project, branch), id: first.turnId }), (json) => {
      json['calls'] = (json['calls'] as unknown[]).slice(1);
    });
    expect(await codes()).toStrictEqual([`request_incomplete call ${second.id}`]);
  });

  test('VE-6: a wrong text and a wrong match key are found and derived again; the blocks stay', async () => {
    const { user, answer } = await seedHealthyTurn(null);
    const before = await snapshotProject(store, project.id);
    for (const [node, field] of [
      [user, 'matchKey'],
      [answer, 'content'],
    ] as const) {
      await edit(nodePath(node), (json) => {
        const metadata = json['metadata'] as { custom_data: { bough: Record<string, unknown> } };
        metadata.custom_data.bough[field] = 'wrong';
      });
    }
    const { findings } = await verify();
    expect(findings.map(({ code, subject }) => `${code} ${subject}`)).toStrictEqual([
      `match_key_differs node ${user.id}`,
      `content_differs node ${answer.id}`,
    ]);
    const outcomes = await applyRepairs(store, planRepairs(findings), { dryRun: false });
    expect(outcomes.map(({ result }) => result)).toStrictEqual(['done', 'done']);
    expect(await codes()).toStrictEqual([]);
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
  });

  test('VE-6: a store that cannot rewrite says so', async () => {
    const { rewriteDerived: _, ...without } = store;
    const node = { id: nodeId('n'), content: '', matchKey: '' };
    const plan = [{ type: 'rederive', projectId: project.id, node }] as const;
    const [outcome] = await applyRepairs(without, plan, { dryRun: false });
    expect(outcome).toMatchObject({ result: 'refused', detail: expect.stringContaining('cannot rewrite') });
  });

  test('VE-7: blocks that raw does not give today', async () => {
    const { answer } = await seedHealthyTurn(null);
    await edit(nodePath(answer), (json) => {
      json['message'] = { role: 'assistant', content: [text('It is 4.')] };
    });
    expect(await codes()).toContain(`blocks_differ_from_raw node ${answer.id}`);
    const report = await verifyStore(store, {
      blocksOfRaw: () => {
        throw new Error('no such protocol');
      },
    });
    expect(report.findings.map(({ code }) => code)).toContain('raw_unreadable');
  });

  test('VE-7: thinking that was cut at any cap is no difference; other thinking, and a signature on cut thinking, is', async () => {
    const whole: ContentBlock[] = [{ type: 'thinking', thinking: 'a'.repeat(100_000), signature: 's' }, text('done')];
    const turn = buildTurn(project, branch);
    const cut = (blocks: readonly ContentBlock[]): TreeNode =>
      message(null, turn, {
        role: 'assistant',
        contentBlocks: blocks,
        thinking: { availability: 'partial', truncated: true },
      });
    const nodes = [
      cut(capThinking(whole).blocks),
      cut(capThinking(whole, 10).blocks),
      cut(capThinking(whole, 90_000).blocks),
      cut([{ type: 'thinking', thinking: 'b' }, text('done')]),
      cut([{ type: 'thinking', thinking: 'aaa', signature: 's' }, text('done')]),
    ];
    await store.beginTurn({ turn, owner: 'o', leaseMs: LONG_LEASE, nodes: [] });
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'o',
      nodes,
      calls: nodes.map((node) => ({ call: buildCall(turn, node), raw: rawOf('done') })),
      renderings: [],
      status: 'complete',
    });
    const { findings } = await verifyStore(store, { blocksOfRaw: () => whole });
    expect(findings.map(({ code, subject }) => `${code} ${subject}`)).toStrictEqual([
      `blocks_differ_from_raw node ${nodes[3]?.id}`,
      `blocks_differ_from_raw node ${nodes[4]?.id}`,
    ]);
  });

  test('VE-17: a file of a reply that is kept apart is no difference; one with other bytes, or without its file, is', () => {
    const data = Buffer.from('picture').toString('base64');
    const derived: ContentBlock[] = [{ type: 'image_generation_call', id: 'ig', result: data }, text('Here.')];
    const bare = { type: 'image_generation_call', id: 'ig' };
    const image = (bytes: string): ContentBlock => {
      const file = {
        hash: blobHash(createHash('sha256').update(bytes).digest('hex')),
        mediaType: 'image/png',
        size: 7,
      };
      return { type: 'image', name: 'a.png', file, width: 8, height: 8 };
    };
    const fitted = { ...image('smaller'), original: (image('picture') as ImageBlock).file };
    const turn = buildTurn(project, branch);
    const codesOf = (contentBlocks: readonly ContentBlock[]): readonly string[] =>
      checkAgainstRaw(message(null, turn, { role: 'assistant', contentBlocks }), rawOf(''), () => derived).map(
        ({ code }) => code,
      );
    expect([[...derived], [bare, image('picture'), text('Here.')], [bare, fitted, text('Here.')]].map(codesOf)).toEqual(
      [[], [], []],
    );
    const wrong = [
      [bare, image('another'), text('Here.')],
      [bare, text('Here.')],
      [bare, image('picture')],
      [bare, image('picture'), text('Here.'), text('More.')],
    ];
    expect(wrong.flatMap(codesOf)).toEqual(wrong.map(() => 'blocks_differ_from_raw'));
  });

  test('VE-8: what cannot be read is named once, and the other projects are checked', async () => {
    const { answer } = await seedHealthyTurn(null);
    const other = await seedProject(store);
    await store.close();
    await writeFile(join(directory, nodePath(answer)), 'not JSON');
    store = await openFilesStore({ directory });
    const report = await verify();
    expect(report.checked.projects).toBe(2);
    expect(report.findings).toMatchObject([{ code: 'unreadable', subject: join(directory, nodePath(answer)) }]);
    // Its path is told once, too.
    expect(formatReport(report).split(nodePath(answer))).toHaveLength(2);
    expect((await store.getProject(other.project.id)).id).toBe(other.project.id);
  });
});

describe('repairs of turns', () => {
  async function seedOpenTurn(leaseMs: number, streamed: boolean): Promise<Turn> {
    const fresh = await seedProject(store);
    const turn = buildTurn(fresh.project, fresh.branch);
    await store.beginTurn({ turn, owner: 'dead', leaseMs, nodes: [] });
    if (streamed) await store.appendLog(turn.projectId, turn.id, [{ seq: 1, data: '{}' }]);
    return turn;
  }

  test('VE-9: an abandoned turn is closed if nothing was streamed; others are left to their owners', async () => {
    let now = 0;
    await store.close();
    store = await openFilesStore({ directory, now: () => now });
    const abandoned = await seedOpenTurn(10, false);
    const streamed = await seedOpenTurn(10, true);
    const alive = await seedOpenTurn(100_000, false);
    now = 1000;
    const { findings } = await verify();
    expect(findings.map(({ code }) => code)).toStrictEqual(['turn_open', 'turn_open', 'turn_open']);
    const plan = planRepairs(findings);
    await applyRepairs(store, plan, { dryRun: true });
    expect((await store.getTurn(abandoned.projectId, abandoned.id)).status).toBe('running');

    const outcomes = await applyRepairs(store, plan, { dryRun: false });
    expect(outcomes.map(({ result }) => result)).toStrictEqual(['done', 'refused', 'refused']);
    expect((await store.getTurn(abandoned.projectId, abandoned.id)).status).toBe('interrupted');
    expect((await store.getTurn(alive.projectId, alive.id)).status).toBe('running');
    expect(await store.renewLeases('dead', [alive.id], 10)).toStrictEqual([alive.id]);
    // The streamed one becomes free for a server a moment later.
    now = 10_000;
    expect((await store.claimExpiredTurns('server', 10)).map(({ id }) => id)).toContain(streamed.id);
    expect(await store.readLog(streamed.projectId, streamed.id, 0, 10)).toStrictEqual([{ seq: 1, data: '{}' }]);
  });
});

describe('formatReport', () => {
  test('VE-10: the worst comes first, repetitions are counted, repairs come last', async () => {
    const { answer } = await seedHealthyTurn(null);
    const turn = buildTurn(project, null);
    await store.beginTurn({ turn, owner: 'o', leaseMs: LONG_LEASE, nodes: [] });
    const wrong = Array.from({ length: 25 }, () => ({ ...message(answer, turn, {}), matchKey: 'wrong' }));
    await store.appendNodes(project.id, wrong);
    const lines = formatReport(await verify()).split('\n');
    const places = ['Errors (25)', 'Notes (1)', 'Safe repairs (26)'].map((title) => lines.indexOf(title));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toStrictEqual(places.toSorted((a, b) => a - b));
    expect(lines).toContain('- … and 5 more of the kind match_key_differs');
  });

  test('VE-15: files that are missing or damaged are named with a message that has them', async () => {
    const [missing, damaged, whole] = [await put('missing'), await put('damaged'), await put('whole')];
    const node = withFiles(project, null, missing, damaged, whole);
    await store.appendNodes(project.id, [node, withFiles(project, null, missing)]);
    expect(await codesFound()).toStrictEqual([]);
    await rm(fileOf(missing.hash));
    await writeFile(fileOf(damaged.hash), 'damagad');
    const { findings, checked } = await verifyStore(store);
    expect(checked.files).toBe(3);
    expect(findings.filter(({ code }) => code.startsWith('file_'))).toMatchObject([
      { code: 'file_missing', severity: 'error', projectId: project.id, subject: `node ${node.id}`, repair: null },
      { code: 'file_damaged', severity: 'error', projectId: project.id, subject: `node ${node.id}`, repair: null },
    ]);
    expect(findings.map(({ message }) => message).join(' ')).toContain(missing.hash);
    await put('missing');
    await put('damaged');
    expect(await codesFound()).toStrictEqual([]);
  });

  test('VE-16: files that nothing refers to are a note, once they are no longer held, and can be removed', async () => {
    const [used, unused] = [await put('used'), await put('unused')];
    await store.appendNodes(project.id, [withFiles(project, null, used)]);
    expect(await codesFound()).toStrictEqual([]);
    const now = (): number => Date.now() + 49 * 60 * 60 * 1000;
    const report = await verifyStore(store, { now });
    const aboutFiles = ({ findings }: typeof report) => findings.filter(({ code }) => code.startsWith('file_'));
    expect(aboutFiles(report)).toMatchObject([
      { code: 'file_unused', severity: 'note', projectId: null, subject: `file ${unused.hash}` },
    ]);
    expect(aboutFiles(await verifyStore(store, { now, project: project.id }))).toStrictEqual([]);
    const plan = planRepairs(aboutFiles(report));
    expect(await applyRepairs(store, plan, { dryRun: true })).toMatchObject([{ result: 'planned' }]);
    expect(await applyRepairs(store, plan, { dryRun: false })).toMatchObject([{ result: 'done' }]);
    expect(await store.blobs.has(null, [used.hash, unused.hash])).toStrictEqual(new Set([used.hash]));
    expect(aboutFiles(await verifyStore(store, { now }))).toStrictEqual([]);
  });
});

const put = (value: string) =>
  store.blobs.put(
    (async function* () {
      yield await Promise.resolve(Buffer.from(value));
    })(),
    { limit: 1000 },
  );
const fileOf = (hash: string): string => join(directory, '.bough/blobs', hash.slice(0, 2), hash);
const codesFound = async () =>
  (await verifyStore(store)).findings.map(({ code }) => code).filter((code) => code.startsWith('file_'));
