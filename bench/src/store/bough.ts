import type { Branch, Call, NodeId, Project, RawResponse, TreeNode, Turn } from '@bough/core';
import { nodeId, turnId } from '@bough/core';
import { randomIds } from '@bough/engine';
import type { PostgresStore, ProjectRecord } from '@bough/store';
import type { TurnKeeper } from './keeper.ts';
import type { Message, TurnPayload } from './payload.ts';
import { blocksOf, messagesOf } from './payload.ts';
import type { BenchServer } from './server.ts';
import { bytesOfSchema } from './server.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const OWNER = 'bench';
const LEASE_MS = 600_000;

/** Bough's store, through the methods that the engine calls. */
export function boughKeeper(server: BenchServer, schema: string, store: PostgresStore, seed: Seed): TurnKeeper {
  const { project, branch } = seed;
  let tip: NodeId | null = branch.tipId;
  const move = (next: NodeId) => ({ branchId: branch.id, expected: tip, next });

  return {
    name: 'Bough',
    role: 'bough',
    append: async ({ question, answer }) => {
      const nodes = [nodeOf(project, question, null), nodeOf(project, answer, null)];
      const next = nodeId(answer.id);
      await store.appendNodes(project.id, nodes, move(next));
      tip = next;
    },
    runTurn: async (payload) => {
      const turn: Turn = { ...turnOf(project, payload), branchId: branch.id, status: 'running' };
      const [question, answer] = messagesOf([payload]).map((message) => nodeOf(project, message, payload.id));
      if (question === undefined || answer === undefined) throw new Error('A turn has a question and an answer.');
      await store.beginTurn({ turn, owner: OWNER, leaseMs: LEASE_MS, nodes: [question], tip: move(question.id) });
      tip = question.id;
      await store.commitTurn({
        projectId: project.id,
        turnId: turn.id,
        owner: OWNER,
        nodes: [answer],
        calls: [{ call: callOf(turn, answer.id), raw: rawOf(payload) }],
        renderings: [],
        tip: move(answer.id),
        status: 'complete',
      });
      tip = answer.id;
    },
    newestPage: async (at, messages) => {
      const page = await store.history(project.id, { tip: nodeId(at), limit: messages / 2 });
      return page.nodes.map(({ content }) => content);
    },
    path: async (at) => (await store.path(project.id, nodeId(at))).map(({ content }) => content),
    bytes: () => bytesOfSchema(server, schema),
  };
}

export interface Seed {
  readonly project: Project;
  readonly branch: Branch;
}

/** A project with one conversation, stored by the store's own import. */
export async function seedProject(store: PostgresStore, turns: readonly TurnPayload[]): Promise<Seed> {
  const newest = turns.at(-1);
  const project: Project = {
    id: randomIds.project(),
    name: 'Bench',
    description: null,
    systemPrompt: null,
    defaults: {},
    archived: false,
    createdAt: NOW,
  };
  const branch: Branch = {
    id: randomIds.branch(),
    projectId: project.id,
    name: 'main',
    tipId: newest === undefined ? null : nodeId(newest.answer.id),
    forkedFromId: null,
    envelope: { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'medium' },
    replayBy: 'issuer',
    keepToolsAfterBreak: false,
    pinned: false,
    hidden: false,
    color: null,
    createdAt: NOW,
  };
  await store.importProject(recordsOf(project, branch, turns));
  return { project, branch };
}

async function* recordsOf(
  project: Project,
  branch: Branch,
  turns: readonly TurnPayload[],
): AsyncIterable<ProjectRecord> {
  yield { type: 'project', value: project };
  for (const turn of turns) {
    yield { type: 'turn', value: turnOf(project, turn) };
    for (const message of messagesOf([turn])) yield { type: 'node', value: nodeOf(project, message, turn.id) };
  }
  yield { type: 'branch', value: branch };
}

function turnOf(project: Project, { id }: TurnPayload): Turn {
  return {
    id: turnId(id),
    projectId: project.id,
    branchId: null,
    isThinkingMode: true,
    status: 'complete',
    createdAt: NOW,
  };
}

function nodeOf(project: Project, message: Message, turn: string | null): TreeNode {
  const isAnswer = message.role === 'assistant';
  return {
    id: nodeId(message.id),
    projectId: project.id,
    parentId: message.parentId === null ? null : nodeId(message.parentId),
    turnId: turn === null ? null : turnId(turn),
    createdOnBranch: null,
    role: message.role,
    contentBlocks: blocksOf(message),
    content: message.text,
    provider: isAnswer ? 'simulated' : null,
    modelUsed: isAnswer ? 'sim-1' : null,
    toolCallId: null,
    thinking: isAnswer ? { availability: 'full', truncated: false } : null,
    madeWith: isAnswer ? { prefix: message.id, previousThinking: null } : null,
    isError: false,
    interrupted: false,
    includeThinkingInContext: false,
    matchKey: message.id,
    createdAt: NOW,
  };
}

function callOf(turn: Turn, node: NodeId): Call {
  return {
    id: randomIds.call(),
    projectId: turn.projectId,
    turnId: turn.id,
    nodeId: node,
    provider: 'simulated',
    deployment: 'simulated@local',
    model: 'sim-1',
    status: 'complete',
    requestHash: turn.id,
    providerRequestId: turn.id,
    responseId: turn.id,
    startedAt: NOW,
    firstByteAt: NOW,
    endedAt: NOW,
    usage: { inputTokens: 100, outputTokens: 100, reasoningTokens: 40 },
    cost: null,
    errorCode: null,
  };
}

function rawOf({ raw }: TurnPayload): RawResponse {
  return {
    provider: 'simulated',
    deployment: 'simulated@local',
    model: 'sim-1',
    api: 'anthropic-messages',
    version: 1,
    capturedAt: NOW,
    complete: true,
    payload: raw.map((data) => ({ event: 'content_block_delta', data })),
  };
}
