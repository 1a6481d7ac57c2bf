import type { Branch, Call, ContentBlock, Envelope, NodeId, Project, RawResponse, TreeNode, Turn } from '@bough/core';
import {
  branchId,
  callId,
  canonicalBlocks,
  createNode,
  excerpt,
  idFrom,
  isAttachedBlock,
  isReasoningBlock,
  isTextBlock,
  isThinkingBlock,
  nodeId,
  projectId,
  rawPayload,
  thinkingOf,
  turnId,
} from '@bough/core';
import type { Deployment } from '@bough/providers';
import { buildContentBlocksForProvider } from '@bough/providers';
import type { ProjectRecord } from '@bough/store';
import { linesOf } from './branches.ts';
import type { Maker, StaysBecause } from './makers.ts';
import { makerOf } from './makers.ts';
import type { KeptReply, SessionMessage, SessionProject } from './session.ts';
import { turnsOf } from './turns.ts';

export interface SessionTarget {
  /** What branches go on with whose maker is not known here, or all of them if a person chose it. */
  readonly envelope: Envelope;
  readonly isChosen: boolean;
  readonly deployments: readonly Deployment[];
  /** The provider that made the replies, where the person knows it better than the files. */
  readonly madeBy: string | undefined;
}

export interface SessionRecords {
  readonly records: readonly ProjectRecord[];
  /** How many replies hold reasoning that goes back to its maker. */
  readonly goesBack: number;
  /** One entry for each reply whose reasoning does not. */
  readonly stays: readonly StaysBecause[];
}

const NO_TIME = '1970-01-01T00:00:00.000Z';

/** A session as a project. Pure: the same session gives the same records, and one that grew the old ones again. */
export function recordsOfSession(session: SessionProject, target: SessionTarget): SessionRecords {
  const space = idsOf(session);
  const createdAt =
    session.createdAt ?? session.messages.find((message) => message.createdAt !== null)?.createdAt ?? NO_TIME;
  const made = session.messages.map((message) => madeOf(message, space, createdAt, target));
  const nodes = made.map(({ node }) => node);
  const makers = new Map(made.flatMap(({ node, maker }) => (maker === null ? [] : [[node.id, maker] as const])));
  const lines = linesOf(session, space);
  const { turns, placed } = turnsOf(nodes, lines, space);
  const turnOf = new Map(placed.map(({ id, turnId: turn }) => [id, turn]));
  const project: Project = {
    id: space.project,
    name: session.title.trim() === '' ? 'Imported session' : excerpt(session.title, 200),
    description: null,
    systemPrompt: null,
    defaults: { ...target.envelope, systemPrompt: null },
    archived: false,
    createdAt,
  };
  const branches = lines.map((line): Branch => ({
    ...line.branch,
    projectId: project.id,
    envelope: envelopeOf(line, makers, target),
    replayBy: 'issuer',
    keepToolsAfterBreak: false,
    pinned: false,
    hidden: false,
    color: null,
    createdAt,
  }));
  const calls = made.flatMap(({ node, raw, reply }): ProjectRecord[] => {
    const turn = turnOf.get(node.id) ?? null;
    return raw === null || turn === null
      ? []
      : [{ type: 'call', raw, value: callOf(node, { ...reply, raw }, turn, space) }];
  });
  const reasoning = made.flatMap(({ node, maker, hasRaw }) => {
    if (!node.contentBlocks.some(isReasoningBlock)) return [];
    return [staysBecause(node.contentBlocks, hasRaw ? maker : null)];
  });
  return {
    records: [
      { type: 'project', value: project },
      ...turns.map((value): ProjectRecord => ({ type: 'turn', value })),
      ...placed.map((value): ProjectRecord => ({ type: 'node', value })),
      ...branches.map((value): ProjectRecord => ({ type: 'branch', value })),
      ...calls,
    ],
    goesBack: reasoning.filter((reason) => reason === null).length,
    stays: reasoning.filter((reason) => reason !== null),
  };
}

export type SessionIds = ReturnType<typeof idsOf>;

function idsOf({ format, key }: Pick<SessionProject, 'format' | 'key'>) {
  return {
    project: projectId(idFrom(format, key)),
    node: (message: string) => nodeId(idFrom(format, key, 'node', message)),
    turn: (turn: string) => turnId(idFrom(format, key, 'turn', turn)),
    branch: (thread: string) => branchId(idFrom(format, key, 'branch', thread)),
    call: (node: NodeId) => callId(idFrom(format, key, 'call', node)),
  };
}

interface Made {
  readonly node: TreeNode;
  readonly maker: Maker | null;
  readonly raw: RawResponse | null;
  readonly reply: KeptReply | null;
  readonly hasRaw: boolean;
}

function madeOf(message: SessionMessage, space: SessionIds, fallbackTime: string, target: SessionTarget): Made {
  const createdAt = message.createdAt ?? fallbackTime;
  const common = {
    id: space.node(message.key),
    projectId: space.project,
    parentId: message.parentKey === null ? null : space.node(message.parentKey),
    turnId: message.turnKey === undefined ? null : space.turn(message.turnKey),
    // Not the branch: a reply without a maker would be attributed to the branch's own model.
    createdOnBranch: null,
    role: message.role,
    toolCallId: message.toolCallId ?? null,
    isError: message.isError ?? false,
    interrupted: message.interrupted ?? false,
    createdAt,
  };
  const { reply } = message;
  if (message.role !== 'assistant' || reply === undefined) {
    const isKept = (block: ContentBlock): boolean =>
      message.role === 'assistant' || isTextBlock(block) || (message.role === 'user' && isAttachedBlock(block));
    const blocks = message.blocks.filter(isKept);
    const contentBlocks = blocks.length > 0 ? blocks : [{ type: 'text' as const, text: '' }];
    const thinking = message.role === 'assistant' ? thinkingOf(contentBlocks, 'full', false) : null;
    return {
      node: createNode({ ...common, contentBlocks, thinking }),
      maker: null,
      raw: null,
      reply: null,
      hasRaw: false,
    };
  }
  const maker = makerOf(reply, target.deployments, target.madeBy);
  const raw: RawResponse = {
    ...maker.issuer,
    api: reply.api,
    version: 1,
    capturedAt: createdAt,
    complete: !common.interrupted,
    payload: rawPayload(reply.api, [], JSON.stringify(reply.body)),
  };
  const { blocks, truncated } = canonicalBlocks(buildContentBlocksForProvider(raw));
  const expected = maker.deployment?.modelInfo(reply.model).reasoning ?? 'full';
  const node = createNode({
    ...common,
    contentBlocks: blocks,
    provider: maker.issuer.provider,
    modelUsed: reply.model,
    thinking: thinkingOf(blocks, expected, truncated, reply.usage?.reasoningTokens),
  });
  // An error that stands in place of a reply was said by nobody: there is nothing to give back.
  const isSaid = !common.isError;
  return { node, maker, raw: isSaid ? raw : null, reply, hasRaw: isSaid };
}

function callOf(
  node: TreeNode,
  { raw, usage }: { readonly raw: RawResponse; readonly usage?: KeptReply['usage'] },
  turn: Turn['id'],
  space: SessionIds,
): Call {
  const id = space.call(node.id);
  return {
    id,
    projectId: space.project,
    turnId: turn,
    nodeId: node.id,
    provider: raw.provider,
    deployment: raw.deployment,
    model: raw.model,
    status: node.interrupted ? 'interrupted' : 'complete',
    requestHash: id,
    providerRequestId: null,
    // The provider stored none of these: a request that went on from its id would be refused.
    responseId: null,
    startedAt: node.createdAt,
    firstByteAt: null,
    endedAt: node.createdAt,
    usage: usage ?? null,
    cost: null,
    errorCode: null,
  };
}

/** A branch goes on with the model that made its last reply, if that can be asked from here. */
function envelopeOf(
  { path, systemPrompt }: ReturnType<typeof linesOf>[number],
  makers: ReadonlyMap<NodeId, Maker>,
  { envelope, isChosen }: SessionTarget,
): Envelope {
  const own = isChosen
    ? undefined
    : path.map((id) => makers.get(id)).findLast((maker) => maker !== undefined && maker.deployment !== null);
  return {
    ...envelope,
    ...(own === undefined ? {} : { provider: own.issuer.provider, model: own.issuer.model }),
    systemPrompt,
  };
}

/** Why a reply's reasoning does not go back; null where it does. */
function staysBecause(blocks: readonly ContentBlock[], maker: Maker | null): StaysBecause | null {
  if (maker === null || maker.deployment === null) return 'unknown_maker';
  const isSigned = blocks.some(
    (block) => isReasoningBlock(block) && (!isThinkingBlock(block) || block.signature !== undefined),
  );
  const needsSignature = maker.deployment.protocol !== 'openai-chat';
  if (needsSignature && !isSigned) return 'unsigned';
  return maker.deployment.modelInfo(maker.issuer.model).bindsThinkingToPrefix ? 'bound' : null;
}
