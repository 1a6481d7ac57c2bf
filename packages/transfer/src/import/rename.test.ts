import type { Branch, Call, Envelope } from '@bough/core';
import { branchId, callId, nodeId, projectId, turnId } from '@bough/core';
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
