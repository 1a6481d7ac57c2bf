import { randomUUID } from 'node:crypto';
import type {
  Branch,
  CachedTurn,
  Call,
  ContentBlock,
  NodeId,
  Project,
  ProjectId,
  RawResponse,
  TreeNode,
  Turn,
} from '@bough/core';
import { branchId, callId, nodeId, parseSearch, projectId, turnId } from '@bough/core';
import type { SearchHit, SearchPage } from '../search/index.ts';
import type { Store } from '../store.ts';

// Builders of whole entities for the contract. Every id is new, so tests can share a store that outlives a run.

let serial = 0;

export function freshId(kind: string): string {
  serial += 1;
  return `${kind}-${serial}-${randomUUID().slice(0, 8)}`;
}

/** A time later than every time returned before: the tests never depend on the clock. */
export function nextTime(): string {
  serial += 1;
  return new Date(Date.UTC(2025, 0, 1) + serial * 1000).toISOString();
}

export function buildProject(given: Partial<Project> = {}): Project {
  return {
    id: projectId(freshId('project')),
    name: 'Contract',
    description: null,
    systemPrompt: null,
    defaults: {},
    archived: false,
    createdAt: nextTime(),
    ...given,
  };
}

export function buildBranch(project: Project, given: Partial<Branch> = {}): Branch {
  const id = branchId(freshId('branch'));
  return {
    id,
    projectId: project.id,
    name: `name of ${id}`,
    tipId: null,
    forkedFromId: null,
    envelope: { provider: 'simulated', model: 'sim-1', systemPrompt: null, tools: [], thinking: 'off' },
    replayBy: 'issuer',
    keepToolsAfterBreak: false,
    pinned: false,
    hidden: false,
    color: null,
    createdAt: nextTime(),
    ...given,
  };
}

export function buildTurn(project: Project, branch: Branch | null, given: Partial<Turn> = {}): Turn {
  return {
    id: turnId(freshId('turn')),
    projectId: project.id,
    branchId: branch?.id ?? null,
    isThinkingMode: false,
    status: 'running',
    createdAt: nextTime(),
    ...given,
  };
}

/** A text node. Pass `contentBlocks` for anything else; `content` is then up to the caller. */
export function buildNode(
  project: Project,
  parent: Pick<TreeNode, 'id'> | null,
  text: string,
  given: Partial<TreeNode> = {},
): TreeNode {
  const id = nodeId(freshId('node'));
  return {
    id,
    projectId: project.id,
    parentId: parent?.id ?? null,
    turnId: null,
    createdOnBranch: null,
    role: 'user',
    contentBlocks: [{ type: 'text', text }],
    content: text,
    provider: null,
    modelUsed: null,
    toolCallId: null,
    thinking: null,
    madeWith: null,
    isError: false,
    interrupted: false,
    includeThinkingInContext: false,
    matchKey: `match key of ${id}`,
    createdAt: nextTime(),
    ...given,
  };
}

export function buildReply(
  project: Project,
  parent: Pick<TreeNode, 'id'> | null,
  text: string,
  given: Partial<TreeNode> = {},
): TreeNode {
  const contentBlocks: readonly ContentBlock[] = [
    { type: 'thinking', thinking: `about ${text}`, signature: 'c2lnbmF0dXJl' },
    { type: 'text', text },
  ];
  return buildNode(project, parent, text, {
    role: 'assistant',
    contentBlocks,
    provider: 'simulated',
    modelUsed: 'sim-1',
    thinking: { availability: 'full', truncated: false },
    madeWith: { prefix: 'a1b2', previousThinking: null },
    ...given,
  });
}

export function buildCall(turn: Turn, node: Pick<TreeNode, 'id'> | null, given: Partial<Call> = {}): Call {
  return {
    id: callId(freshId('call')),
    projectId: turn.projectId,
    turnId: turn.id,
    nodeId: node?.id ?? null,
    provider: 'simulated',
    deployment: 'simulated@local',
    model: 'sim-1',
    status: 'complete',
    requestHash: 'f00d',
    providerRequestId: 'req_1',
    responseId: 'resp_1',
    startedAt: nextTime(),
    firstByteAt: nextTime(),
    endedAt: nextTime(),
    usage: {
      inputTokens: 10,
      outputTokens: 5,
      reasoningTokens: 2,
      others: [{ model: 'advisor', outputTokens: 1 }],
      cacheTold: { type: 'differs', reason: 'model_changed', missedTokens: 3 },
    },
    cost: 0.25,
    errorCode: null,
    ...given,
  };
}

export function buildRaw(data: string, given: Partial<RawResponse> = {}): RawResponse {
  return {
    provider: 'simulated',
    deployment: 'simulated@local',
    model: 'sim-1',
    api: 'anthropic-messages',
    version: 1,
    capturedAt: nextTime(),
    complete: true,
    payload: [{ event: 'message_start', data }, { data: '{"n":1.0,"n":1e2}' }],
    ...given,
  };
}

/** Long enough that no test ever sees it run out. */
export const LONG_LEASE = 600_000;

/** A stored project with one empty branch. */
export async function seedProject(store: Store): Promise<{ project: Project; branch: Branch }> {
  const project = buildProject();
  const branch = buildBranch(project, { name: 'main' });
  await store.createProject(project);
  await store.createBranch(branch);
  return { project, branch };
}

/** Appends a chain of text nodes, alternating user and assistant, and returns them. Moves no tip. */
export async function seedChain(
  store: Store,
  project: Project,
  parent: TreeNode | null,
  texts: readonly string[],
): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (const [index, text] of texts.entries()) {
    const above = nodes.at(-1) ?? parent;
    nodes.push(index % 2 === 0 ? buildNode(project, above, text) : buildReply(project, above, text));
  }
  await store.appendNodes(project.id, nodes);
  return nodes;
}

export interface SeededTurn {
  readonly turn: Turn;
  readonly user: TreeNode;
  readonly reply: TreeNode;
  readonly call: Call;
  readonly raw: RawResponse;
}

/** Begins a turn on a branch, with one user node after `tip`. */
export async function beginTurn(
  store: Store,
  project: Project,
  branch: Branch,
  tip: NodeId | null,
  owner = 'owner-1',
  leaseMs = LONG_LEASE,
): Promise<{ turn: Turn; user: TreeNode }> {
  const turn = buildTurn(project, branch);
  const user = buildNode(project, tip === null ? null : { id: tip }, `question of ${turn.id}`, {
    turnId: turn.id,
    createdOnBranch: branch.id,
  });
  await store.beginTurn({
    turn,
    owner,
    leaseMs,
    nodes: [user],
    tip: { branchId: branch.id, expected: tip, next: user.id },
  });
  return { turn, user };
}

/** A whole turn: question, reply, call with raw, rendering, tip. */
export async function seedTurn(
  store: Store,
  project: Project,
  branch: Branch,
  tip: NodeId | null,
  cachedTurns: readonly CachedTurn[] = [],
): Promise<SeededTurn> {
  const { turn, user } = await beginTurn(store, project, branch, tip);
  const reply = buildReply(project, user, `answer of ${turn.id}`, { turnId: turn.id, createdOnBranch: branch.id });
  const call = buildCall(turn, reply);
  const raw = buildRaw(`{"of":"${turn.id}"}`);
  await store.commitTurn({
    projectId: project.id,
    turnId: turn.id,
    owner: 'owner-1',
    nodes: [reply],
    calls: [{ call, raw }],
    renderings: [{ nodeId: user.id, key: 'wire', bytes: `{"role":"user","of":"${turn.id}"}` }],
    cachedTurns,
    tip: { branchId: branch.id, expected: user.id, next: reply.id },
    status: 'complete',
  });
  return { turn: { ...turn, status: 'complete' }, user, reply, call, raw };
}

/** What a search finds once everything is indexed, on all pages. */
export async function searchAll(
  store: Store,
  typed: string,
  projects?: readonly ProjectId[],
  limit = 50,
): Promise<readonly SearchHit[]> {
  const query = parseSearch(typed);
  const hits: SearchHit[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: SearchPage = await store.search({
      query,
      limit,
      ...(projects && { projects }),
      ...(cursor !== undefined && { cursor }),
    });
    if (page.indexing) {
      hits.length = 0;
      cursor = undefined;
      continue;
    }
    hits.push(...page.hits);
    ({ cursor } = page);
  }
  return hits;
}

/** The messages of one project that a search finds. */
export async function searchIn(store: Store, project: Pick<Project, 'id'>, typed: string): Promise<NodeId[]> {
  return (await searchAll(store, typed, [project.id])).flatMap(({ nodeId: node }) => node ?? []);
}

/** Ids that name nothing. */
export const NOWHERE = {
  project: projectId('no-such-project'),
  branch: branchId('no-such-branch'),
  turn: turnId('no-such-turn'),
  node: nodeId('no-such-node'),
} as const;

export const idsOf = (values: readonly { readonly id: string }[]): string[] => values.map((value) => value.id);
