import type { ContentBlock } from '@bough/core';
import { nodeId, projectId } from '@bough/core';
import { expect } from 'vitest';
import {
  beginTurn,
  buildBranch,
  buildCall,
  buildNode,
  buildProject,
  buildRaw,
  buildReply,
  freshId,
  LONG_LEASE,
  seedProject,
} from '../build.ts';
import type { Rule } from '../harness.ts';

/**
 * Strings on which stores are known to break: NUL, halves of surrogate pairs, line separators, quotes, other scripts.
 */
export const AWKWARD_STRINGS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'before\u0000after',
  '\ud800',
  'half \udfff half',
  '\udc00\ud800',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'e\u0301 is not é',
  'مرحبا \u202e txet',
  '\u2028\u2029\u0085\ufeff\ufffe',
  'line\nline\r\nline\ttab\u001b[0m',
  String.raw`back\slash \u0000 \n %s %00 \x00`,
  `'"\`; drop table nodes; -- $1 $$ {{}} <b>`,
];

const PROTO = JSON.parse('{"type":"odd","__proto__":{"polluted":true},"constructor":1}') as ContentBlock;

const BLOCKS: readonly ContentBlock[] = [
  { type: 'thinking', thinking: '' },
  { type: 'thinking', thinking: 'signed', signature: 'EqQB+/==' },
  { type: 'thinking_signature', signature: '\u0000opaque\ud83d' },
  { type: 'redacted_thinking', data: 'AAAA' },
  { type: 'text', text: '' },
  { type: 'tool-use', id: 'call_1', name: 'add', parameters: { z: 1, a: { z: [1, { y: 2, b: null }], a: 'x' } } },
  { type: 'server_tool_use', zeta: 1, alpha: [3, 2, 1], nested: { b: 1, a: 2, '': 3 }, empty: {}, none: null },
  { type: 'text', text: 5, note: 'a known name with another shape' },
  { type: 'numbers', big: 1e21, tiny: 5e-324, most: Number.MAX_VALUE, safe: Number.MAX_SAFE_INTEGER, third: 1 / 3 },
  { type: '', 'key with \u0000 and \ud800': true },
  PROTO,
];

export function values(rule: Rule): void {
  rule('ST-1', 'blocks are read as they were written: order, unknown types, key order', async ({ store, reopen }) => {
    const { project } = await seedProject(store);
    const node = buildReply(project, null, 'blocks', { contentBlocks: BLOCKS });
    const bare = buildReply(project, node, '', { contentBlocks: [] });
    await store.appendNodes(project.id, [node, bare]);
    const reopened = await reopen();
    const [readNode, readBare] = await reopened.path(project.id, bare.id);
    // As text, because object equality ignores the order of keys.
    expect(JSON.stringify(readNode?.contentBlocks)).toBe(JSON.stringify(BLOCKS));
    expect(readNode).toStrictEqual(node);
    expect(readBare).toStrictEqual(bare);
  });

  rule('ST-1', 'every field of a node is kept', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const reply = buildReply(project, user, 'full', {
      turnId: turn.id,
      createdOnBranch: branch.id,
      thinking: { availability: 'partial', truncated: true },
      madeWith: { prefix: 'c0ffee', previousThinking: user.id },
      isError: true,
      interrupted: true,
      includeThinkingInContext: true,
    });
    const result = buildNode(project, reply, 'result', {
      role: 'tool',
      toolCallId: 'call_1',
      toolMs: 1234,
      turnId: turn.id,
    });
    const system = buildNode(project, null, 'You are kind.', { role: 'system' });
    await store.appendNodes(project.id, [reply, result, system]);
    const reopened = await reopen();
    expect(await reopened.getNodes(project.id, [reply.id, result.id, system.id])).toStrictEqual([
      reply,
      result,
      system,
    ]);
  });

  rule('ST-1', 'times are kept as they were written, to the letter', async ({ store, reopen }) => {
    const times = ['2024-05-01T10:00:00+02:00', '2024-05-01T08:00:00.123456Z', '2024-05-01T08:00:00Z'];
    const { project } = await seedProject(store);
    const nodes = times.map((createdAt) => buildNode(project, null, 'timed', { createdAt }));
    await store.appendNodes(project.id, nodes);
    expect((await (await reopen()).children(project.id, null)).map(({ createdAt }) => createdAt)).toStrictEqual(times);
  });

  rule('ST-2', 'every string is exact: NUL, lone surrogates, emoji, separators', async ({ store, reopen }) => {
    const project = buildProject({ name: AWKWARD_STRINGS.join('|'), systemPrompt: AWKWARD_STRINGS.join('|') });
    await store.createProject(project);
    const branch = buildBranch(project, {
      name: 'n\u0000 \ud800 👩‍👩‍👧‍👦\n',
      envelope: {
        provider: 'p\u0000',
        model: 'm\ud800',
        systemPrompt: AWKWARD_STRINGS.join(''),
        tools: ['\u0000'],
        thinking: 'low',
      },
    });
    await store.createBranch(branch);
    const nodes = AWKWARD_STRINGS.map((text, index) =>
      buildNode(project, null, text, { toolCallId: `t${text}`, matchKey: `k${index}${text}`, modelUsed: text }),
    );
    await store.appendNodes(project.id, nodes);
    const reopened = await reopen();
    expect(await reopened.getProject(project.id)).toStrictEqual(project);
    expect(await reopened.getBranch(project.id, branch.name)).toStrictEqual(branch);
    expect(await reopened.children(project.id, null)).toStrictEqual(nodes);
    for (const node of nodes) {
      expect(await reopened.findChild(project.id, null, node.matchKey)).toStrictEqual(node);
    }
  });

  rule('ST-2', 'raw, renderings and log lines are exact, whatever is in them', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null);
    const reply = buildReply(project, user, 'x', { turnId: turn.id });
    const raw = buildRaw('', { payload: AWKWARD_STRINGS.map((data) => ({ event: data, data })) });
    const bytes = AWKWARD_STRINGS.join('\u0000');
    const entries = AWKWARD_STRINGS.map((data, index) => ({ seq: index + 1, data }));
    await store.appendLog(project.id, turn.id, entries);
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [reply],
      calls: [{ call: buildCall(turn, reply), raw }],
      renderings: [{ nodeId: reply.id, key: bytes, bytes }],
    });
    const reopened = await reopen();
    expect(await reopened.getRaw(project.id, reply.id)).toStrictEqual(raw);
    expect((await reopened.readContext(project.id, reply.id, bytes)).renderings).toStrictEqual(
      new Map([[reply.id, new Map([[bytes, bytes]])]]),
    );
    expect(await reopened.readLog(project.id, turn.id, 0, 100)).toStrictEqual(entries);
  });

  rule('ST-2', 'huge texts are kept whole', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const text = '0123456789abcdef🌳\n'.repeat(120_000);
    const turn = (await beginTurn(store, project, branch, null)).turn;
    const node = buildReply(project, null, text, { turnId: turn.id });
    const raw = buildRaw('', { payload: [{ data: text }, { data: text }] });
    await store.commitTurn({
      projectId: project.id,
      turnId: turn.id,
      owner: 'owner-1',
      nodes: [node],
      calls: [{ call: buildCall(turn, node), raw }],
      renderings: [{ nodeId: node.id, key: 'wire', bytes: text }],
    });
    const reopened = await reopen();
    expect((await reopened.findNode(node.id)).content === text).toBe(true);
    expect(JSON.stringify(await reopened.getRaw(project.id, node.id)) === JSON.stringify(raw)).toBe(true);
    const { renderings } = await reopened.readContext(project.id, node.id, 'wire');
    expect(renderings.get(node.id)?.get('wire') === text).toBe(true);
  });

  rule('ST-3', 'ids are any text: slashes, dots, case, other scripts', async ({ store, reopen }) => {
    const odd = [
      'root-1/node-7',
      '../escape',
      '.',
      '..',
      'a',
      'A',
      'CON',
      '%2F',
      'a b',
      'Ü🌳',
      'x'.repeat(180),
      '-rf',
      '*',
    ];
    const created = [];
    for (const part of odd) {
      const project = buildProject({ id: projectId(`${part}${freshId('')}`) });
      const upper = buildNode(project, null, part, { id: nodeId(`${part}${freshId('')}`) });
      const lower = buildNode(project, upper, part, { id: nodeId(`${part}${freshId('')}`) });
      await store.createProject(project);
      await store.appendNodes(project.id, [upper, lower]);
      created.push({ project, path: [upper, lower] });
    }
    const { project } = await seedProject(store);
    const twins = [nodeId(`${project.id}-case`), nodeId(`${project.id}-CASE`)].map((id) =>
      buildNode(project, null, id, { id }),
    );
    await store.appendNodes(project.id, twins);
    const reopened = await reopen();
    for (const { project: stored, path } of created) {
      expect(await reopened.getProject(stored.id)).toStrictEqual(stored);
      expect(await reopened.path(stored.id, path[1]?.id ?? nodeId(''))).toStrictEqual(path);
      expect(await reopened.findNode(path[0]?.id ?? nodeId(''))).toStrictEqual(path[0]);
    }
    expect(await reopened.children(project.id, null)).toStrictEqual(twins);
    for (const { project: stored } of created) await reopened.deleteProject(stored.id);
    expect(await reopened.children(project.id, null)).toStrictEqual(twins);
  });

  rule('ST-1', 'what the caller does to its own objects later changes nothing stored', async ({ store }) => {
    const { project } = await seedProject(store);
    const parameters: Record<string, unknown> = { list: [1] };
    const contentBlocks: ContentBlock[] = [{ type: 'tool-use', id: 'c', name: 'n', parameters }];
    const node = buildReply(project, null, 'mine', { contentBlocks });
    await store.appendNodes(project.id, [node]);
    const before = JSON.stringify(node);
    parameters['list'] = 'changed';
    contentBlocks.push({ type: 'text', text: 'changed' });
    expect(JSON.stringify((await store.findNode(node.id)).contentBlocks)).toBe(
      JSON.stringify((JSON.parse(before) as typeof node).contentBlocks),
    );
  });

  rule('ST-4', 'what resolved is there after closing and opening again', async ({ store, reopen }) => {
    const { project, branch } = await seedProject(store);
    const { turn, user } = await beginTurn(store, project, branch, null, 'owner-1', LONG_LEASE);
    await store.appendLog(project.id, turn.id, [{ seq: 1, data: '{"type":"turn"}' }]);
    const reopened = await reopen();
    expect(await reopened.getProject(project.id)).toStrictEqual(project);
    expect(await reopened.getBranch(project.id, branch.id)).toStrictEqual({ ...branch, tipId: user.id });
    expect(await reopened.getTurn(project.id, turn.id)).toStrictEqual(turn);
    expect(await reopened.readLog(project.id, turn.id, 0, 10)).toStrictEqual([{ seq: 1, data: '{"type":"turn"}' }]);
    // The lease is data too: the owner still holds the turn after a restart.
    expect(await reopened.renewLeases('owner-1', [turn.id], LONG_LEASE)).toStrictEqual([turn.id]);
  });
}
