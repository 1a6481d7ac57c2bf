import type {
  BranchView,
  CallView,
  ContextReport,
  ContextView,
  GraphView,
  HistoryView,
  MessageGroupView,
  ModelNoticeView,
  NodeView,
  ProjectView,
  ProviderView,
} from '@bough/api';
import type { Branch, BranchId, Call, NodeId, Project, Segment, TreeNode, TurnId } from '@bough/core';
import type { ContextPreview, History, ModelNotice } from '@bough/engine';
import type { ModelInfo, Provider } from '@bough/providers';
import { redactHeaders, takesSystemInPlace } from '@bough/providers';
import type { Graph } from '@bough/store';
import type { LiveProviders } from '../providers/index.ts';

// What leaves the server: every view is written out in full, so that no internal field leaks by accident.

export function projectView({ id, name, description, systemPrompt, archived, createdAt }: Project): ProjectView {
  return { id, name, description, systemPrompt, archived, createdAt };
}

export function branchView(branch: Branch, running: ReadonlyMap<BranchId, TurnId>): BranchView {
  const { id, name, tipId, forkedFromId, envelope, replayBy, keepToolsAfterBreak, pinned, hidden, color, createdAt } =
    branch;
  const { provider, model, systemPrompt, tools, thinking } = envelope;
  return {
    id,
    name,
    tipId,
    forkedFromId,
    provider,
    model,
    systemPrompt,
    tools: [...tools],
    thinking,
    replayBy,
    keepToolsAfterBreak,
    maxTokens: envelope.maxTokens ?? null,
    failEarly: envelope.failEarly ?? false,
    pinned,
    hidden,
    color,
    createdAt,
    runningTurnId: running.get(id) ?? null,
  };
}

export function noticeView({ code, provider, model, assumed, problem, message }: ModelNotice): ModelNoticeView {
  return { code, provider, model, assumed: assumed.map((fact) => ({ ...fact })), problem, message };
}

export function nodeView(node: TreeNode, siblingIds: readonly NodeId[] = [node.id]): NodeView {
  const {
    id,
    projectId,
    parentId,
    turnId,
    role,
    contentBlocks,
    content,
    provider,
    modelUsed,
    toolCallId,
    thinking,
    isError,
    interrupted,
    includeThinkingInContext,
    createdAt,
  } = node;
  return {
    id,
    projectId,
    parentId,
    turnId,
    role,
    contentBlocks: contentBlocks.map((block) => ({ ...block })),
    content,
    provider,
    modelUsed,
    toolCallId,
    thinking,
    isError,
    interrupted,
    includeThinkingInContext,
    createdAt,
    siblingIds: [...siblingIds],
  };
}

function callView({
  id,
  nodeId,
  provider,
  model,
  status,
  startedAt,
  firstByteAt,
  endedAt,
  usage,
  cost,
}: Call): CallView {
  return { id, nodeId, provider, model, status, startedAt, firstByteAt, endedAt, usage, cost };
}

function segmentView({ kind, items }: Segment): MessageGroupView['segments'][number] {
  return {
    kind,
    items: items.map((item) => (item.type === 'tool' ? { ...item, parameters: { ...item.parameters } } : item)),
  };
}

export function historyView(history: History, running: ReadonlyMap<BranchId, TurnId>): HistoryView {
  const view = (node: TreeNode): NodeView => nodeView(node, history.siblings[node.id]);
  return {
    branch: branchView(history.branch, running),
    groups: history.groups.map(({ turnId, isThinkingMode, status, user, reply, segments, calls }) => ({
      turnId,
      isThinkingMode,
      status,
      user: user === null ? null : view(user),
      reply: reply.map(view),
      segments: segments.map(segmentView),
      calls: calls.map(callView),
    })),
    hasMore: history.hasMore,
    hasNewer: history.hasNewer,
    firstNodeId: history.firstNodeId,
    lastNodeId: history.lastNodeId,
    breakNodeId: history.breakNodeId,
  };
}

export function graphView(graph: Graph, running: ReadonlyMap<BranchId, TurnId>, skipped: number): GraphView {
  return {
    skipped,
    nodes: graph.nodes
      .slice(skipped)
      .map(({ id, parentId, turnId, role, createdOnBranch, isError, interrupted, modelUsed, createdAt }) => ({
        id,
        parentId,
        turnId,
        role,
        branchId: createdOnBranch,
        isError,
        interrupted,
        modelUsed,
        createdAt,
      })),
    branches: graph.branches.map((branch) => branchView(branch, running)),
  };
}

const EXCERPT = 160;

export async function contextView(preview: ContextPreview): Promise<ContextView> {
  const { method, url, headers, body } = preview.request;
  return {
    ...contextReport(preview),
    request: { method, url, headers: { ...redactHeaders(headers) }, body },
    standsFor: preview.whole.body === body ? null : preview.whole.body,
    previousBody: await preview.previousBody(),
  };
}

/** A part of the path; an end that is not given, or not on it, leaves nothing out. */
interface ReportedPart {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export function contextReport(preview: ContextPreview, { from, to }: ReportedPart = {}): ContextReport {
  const start = Math.max(
    0,
    preview.report.findIndex(({ nodeId }) => nodeId === from),
  );
  const last = to === undefined ? -1 : preview.report.findLastIndex(({ nodeId }) => nodeId === to);
  const reported = preview.report.slice(start, last < 0 ? undefined : last + 1);
  const shown = new Set(reported.map(({ nodeId }) => nodeId));
  const nodes = new Map(preview.path.map((node) => [node.id, node]));
  const { notes } = preview.whole;
  const { violations } = preview.request;
  return {
    provider: preview.envelope.provider,
    model: preview.envelope.model,
    report: reported.map(({ nodeId, fidelity, reasons, estimatedTokens }) => {
      const node = nodes.get(nodeId);
      return {
        nodeId,
        role: node?.role ?? 'user',
        fidelity,
        reasons: [...reasons],
        estimatedTokens,
        excerpt: (node?.content ?? '').slice(0, EXCERPT),
      };
    }),
    notes: notes
      .filter(({ nodeId }) => reported.length === preview.report.length || shown.has(nodeId))
      .map(({ nodeId, reason, detail }) => ({ nodeId, reason, detail })),
    violations: violations.map(({ rule, path, message, repaired }) => ({ rule, path, message, repaired })),
    estimatedTokens: preview.estimatedTokens,
    contextWindow: preview.contextWindow,
    maxTokens: preview.maxTokens,
    breakNodeId: preview.breakNodeId,
  };
}

export function providerView(provider: Provider, providers: LiveProviders): ProviderView {
  const { id, label, protocol, baseUrl, defaultModel, models } = provider.deployment;
  return {
    id,
    label,
    protocol,
    baseUrl,
    ready: provider.keyProblem === null,
    keySource: providers.keySourceOf(id),
    simulated: providers.isSimulated(id),
    defaultModel,
    models: models.map((model) => modelView(provider, model)),
  };
}

function modelView({ deployment }: Provider, model: ModelInfo): ProviderView['models'][number] {
  const { price } = model;
  return {
    id: model.id,
    label: model.label,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    reasoning: model.reasoning,
    canThink: model.canThink,
    alwaysThinks: model.alwaysThinks,
    bindsThinkingToPrefix: model.bindsThinkingToPrefix,
    canUseTools: model.canUseTools,
    takesInstructions: takesSystemInPlace(deployment, model),
    price: price === undefined ? null : { input: price.input, output: price.output, asOf: price.asOf },
  };
}
