import type { Branch, Call, Envelope } from '@bough/core';
import { branchId, callId, createNode, nodeId, projectId, turnId } from '@bough/core';
import type { ProjectRecord } from '@bough/store';
import { expect, it } from 'vitest';
import { renamed } from './rename.ts';

const ENVELOPE: Envelope = { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'off' };
const BRANCH: Branch = {
  id: branchId('main'),
  projectId: projectId('root-1'),
  name: 'main',
  tipId: nodeId('node-1'),
  forkedFromId: null,
  envelope: { ...ENVELOPE, choices: { 'node-1': 'pin' } },
  replayBy: 'issuer',
  keepToolsAfterBreak: false,
  pinned: false,
  hidden: false,
  color: null,
  recorded: { client: 'codex', session: null, kind: 'aside', beside: nodeId('node-1'), because: 'edited' },
  createdAt: '2026-01-01T00:00:00.000Z',
};
const CALL: Call = {
  id: callId('call-1'),
  projectId: projectId('root-1'),
  turnId: turnId('turn-1'),
  nodeId: nodeId('node-1'),
  provider: 'simulated',
  deployment: 'simulated@local',
  model: 'sim-1',
  status: 'complete',
  requestHash: '',
  providerRequestId: null,
  responseId: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  firstByteAt: null,
  endedAt: null,
  usage: null,
  cost: null,
  errorCode: null,
  exchange: {
    client: 'codex',
    session: null,
    mode: 'repair',
    protocol: 'openai-responses',
    path: '/v1/responses',
    came: [
      { node: nodeId('node-1'), key: 'gateway/1' },
      { call: callId('call-1'), of: 'came', from: 0, to: 1 },
    ],
    sent: [{ node: nodeId('node-1'), key: 'gateway/2' }],
  },
};

async function* given(): AsyncIterable<ProjectRecord> {
  yield await Promise.resolve({ type: 'branch', value: BRANCH } as const);
  yield { type: 'call', value: CALL, raw: null };
}

it('IM-51: a merge names its source by the new ids, and a version of the canvas the one that it was merged from', async () => {
  const merge = { type: 'merge', branchId: branchId('idea'), branchName: 'idea', by: 'answer' } as const;
  const named = { after: nodeId('node-1'), upTo: nodeId('node-2'), nodeIds: [nodeId('node-2')] };
  const canvas = { type: 'canvas', text: 'Oaks', by: 'person', inContext: false, mergedFrom: 'node-2' };
  const node = createNode({
    id: nodeId('node-2'),
    projectId: projectId('root-1'),
    parentId: nodeId('node-1'),
    role: 'user',
    contentBlocks: [{ ...merge, ...named }, canvas, { type: 'text', text: 'Brought.' }],
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  async function* records(): AsyncIterable<ProjectRecord> {
    yield await Promise.resolve({ type: 'branch', value: { ...BRANCH, id: branchId('idea') } } as const);
    yield { type: 'node', value: node };
  }
  const found: ProjectRecord[] = [];
  for await (const record of renamed(records(), 'a space', ENVELOPE)) found.push(record);
  const [branch, moved] = found;
  if (branch?.type !== 'branch' || moved?.type !== 'node') throw new Error('a branch and a node were given');
  const { id, parentId, contentBlocks } = moved.value;
  expect(contentBlocks).toEqual([
    { ...merge, branchId: branch.value.id, after: parentId, upTo: id, nodeIds: [id] },
    { ...canvas, mergedFrom: id },
    { type: 'text', text: 'Brought.' },
  ]);
});

it('IM-50: what a request was made of, what a branch is beside and what was chosen on it is named by the new ids', async () => {
  const records: ProjectRecord[] = [];
  for await (const record of renamed(given(), 'a space', ENVELOPE)) records.push(record);
  const [branch, call] = records;
  if (branch?.type !== 'branch' || call?.type !== 'call') throw new Error('a branch and a call were given');
  const node = branch.value.tipId;
  expect(node).not.toBe('node-1');
  expect(branch.value.envelope.choices).toEqual({ [String(node)]: 'pin' });
  expect(branch.value.recorded).toEqual({ ...BRANCH.recorded, beside: node });
  expect(call.value.exchange).toEqual({
    ...CALL.exchange,
    came: [
      { node, key: 'gateway/1' },
      { call: call.value.id, of: 'came', from: 0, to: 1 },
    ],
    sent: [{ node, key: 'gateway/2' }],
  });
  expect(call.value.id).not.toBe('call-1');
});
