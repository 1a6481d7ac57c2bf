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
  ProjectDetailsView,
  ProjectView,
  ProviderView,
  ToolView,
  UploadView,
} from '@bough/api';
import type { FitNote } from '@bough/files';
import type {
  Branch,
  BranchId,
  Call,
  ContentBlock,
  NodeId,
  Project,
  ProviderTool,
  Recorded,
  Segment,
  TimelineItem,
  TreeNode,
  TurnId,
} from '@bough/core';
import type { CallMoney, ContextPreview, History, ListedTool, ModelNotice } from '@bough/engine';
import { moneyOf } from '@bough/engine';
import type { ModelInfo, Price, Provider } from '@bough/providers';
import { offeredProviderTools, redactHeaders, takenFileTypes, takesSystemInPlace } from '@bough/providers';
import type { GatewayModes } from '../gateway/modes.ts';
import type { BranchFacts, Graph, GraphNode } from '@bough/store';
import type { OutlineNode } from '../outline/index.ts';
import type { LiveProviders } from '../providers/index.ts';

// What leaves the server: every view is written out in full, so that no internal field leaks by accident.

export function projectView(project: Project): ProjectView {
  const { id, name, description, systemPrompt, archived, pinned = false, folder = null, createdAt } = project;
  return { id, name, description, systemPrompt, archived, pinned, folder, createdAt };
}

export function projectDetails(project: Project, modes: GatewayModes): ProjectDetailsView {
  const { provider, model, tools, thinking, maxTokens, failEarly } = project.defaults;
  return {
    ...projectView(project),
    defaults: {
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(failEarly === undefined ? {} : { failEarly }),
    },
    gateway: { chosen: modes.chosen(project.id), mode: modes.of(project.id) },
  };
}

/** What is known of the branches of a project besides the branches themselves. */
export interface AboutBranches {
  /** The turn that is open on a branch. */
  readonly running: ReadonlyMap<BranchId, TurnId>;
  readonly facts: Readonly<Record<BranchId, BranchFacts>>;
}

export function branchView(branch: Branch, { running, facts }: AboutBranches): BranchView {
  const { id, name, tipId, forkedFromId, envelope, replayBy, keepToolsAfterBreak, pinned, hidden, color } = branch;
  const { recorded, createdAt } = branch;
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
    filesOtherwise: envelope.filesOtherwise ?? 'text',
    providerTools: (envelope.providerTools ?? []).map(providerToolView),
    ...(envelope.allowedTools === undefined ? {} : { allowedTools: [...envelope.allowedTools] }),
    ...(envelope.choices === undefined ? {} : { choices: envelope.choices }),
    ...(envelope.summaries === undefined ? {} : { summaries: [...envelope.summaries] }),
    ...(envelope.compacting === undefined ? {} : { compacting: envelope.compacting }),
    pinned,
    hidden,
    color,
    ...(recorded && { recorded: recordedView(recorded) }),
    createdAt,
    lastUsedAt: facts[id]?.lastUsedAt ?? createdAt,
    forkedOn: facts[id]?.forkedOn ?? null,
    runningTurnId: running.get(id) ?? null,
  };
}

function recordedView({ client, session, kind, beside, because }: Recorded): NonNullable<BranchView['recorded']> {
  return { client, session, kind, beside, because };
}

export function providerToolView({ tool, settings }: ProviderTool): BranchView['providerTools'][number] {
  if (settings === undefined) return { tool };
  const { allowedDomains, blockedDomains, vectorStores, allowedTools, userLocation, ...others } = settings;
  return {
    tool,
    settings: {
      ...others,
      ...(userLocation === undefined ? {} : { userLocation: { ...userLocation } }),
      ...(allowedDomains === undefined ? {} : { allowedDomains: [...allowedDomains] }),
      ...(blockedDomains === undefined ? {} : { blockedDomains: [...blockedDomains] }),
      ...(vectorStores === undefined ? {} : { vectorStores: [...vectorStores] }),
      ...(allowedTools === undefined ? {} : { allowedTools: [...allowedTools] }),
    },
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
    toolMs,
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
    ...(toolMs === undefined ? {} : { toolMs }),
    thinking,
    isError,
    interrupted,
    includeThinkingInContext,
    createdAt,
    siblingIds: [...siblingIds],
  };
}

export function uploadView(block: ContentBlock, notes: readonly FitNote[]): UploadView {
  return { block: { ...block }, notes: [...notes] };
}

/** What a model costs today; undefined where that is not known. */
export type PriceOf = (provider: string, model: string) => Price | undefined;

export function callView(call: Call, priceOf: PriceOf): CallView {
  const { id, nodeId, provider, model, status, startedAt, firstByteAt, endedAt, usage, cost, errorCode } = call;
  const money = moneyView(moneyOf(call, priceOf(provider, model)));
  const endedBy = status === 'complete' ? ENDED_BY.find((reason) => reason === errorCode) : undefined;
  const view = { id, nodeId, provider, model, status, startedAt, firstByteAt, endedAt, usage, cost, money, errorCode };
  return endedBy === undefined ? view : { ...view, endedBy };
}

function moneyView(money: CallMoney | null): CallView['money'] {
  if (money === null) return null;
  const { total: _, ...parts } = money;
  return parts;
}

const ENDED_BY = ['max_tokens', 'refusal', 'context_exceeded'] as const;

function segmentView({ kind, items }: Segment): MessageGroupView['segments'][number] {
  return {
    kind,
    items: items.map(itemView),
  };
}

function itemView(item: TimelineItem): MessageGroupView['segments'][number]['items'][number] {
  switch (item.type) {
    case 'think':
      return item;
    case 'tool':
      return { ...item, parameters: { ...item.parameters } };
    case 'provider': {
      const { queries, urls, sources, files, pictures, ...facts } = item.use;
      return {
        type: 'provider',
        nodeId: item.nodeId,
        use: {
          ...facts,
          queries: [...queries],
          urls: [...urls],
          sources: [...sources],
          files: [...files],
          pictures: [...pictures],
        },
      };
    }
    case 'file':
      return { ...item, file: { ...item.file } };
    case 'text': {
      const { citations, ...text } = item;
      return citations === undefined ? text : { ...text, citations: [...citations] };
    }
  }
}

export function historyView(history: History, about: AboutBranches, priceOf: PriceOf): HistoryView {
  const view = (node: TreeNode): NodeView => nodeView(node, history.siblings[node.id]);
  return {
    branch: branchView(history.branch, about),
    groups: history.groups.map(({ turnId, isThinkingMode, status, user, reply, segments, calls }) => ({
      turnId,
      isThinkingMode,
      status,
      user: user === null ? null : view(user),
      reply: reply.map(view),
      segments: segments.map(segmentView),
      calls: calls.map((call) => callView(call, priceOf)),
    })),
    hasMore: history.hasMore,
    hasNewer: history.hasNewer,
    firstNodeId: history.firstNodeId,
    lastNodeId: history.lastNodeId,
    breakNodeId: history.breakNodeId,
  };
}

export function graphView(
  graph: Graph,
  about: AboutBranches,
  shown: readonly (GraphNode & Partial<OutlineNode>)[],
  skipped: number,
): GraphView {
  return {
    skipped,
    total: graph.nodes.length,
    lastId: graph.nodes.at(-1)?.id ?? null,
    nodes: shown.map(({ id, parentId, turnId, role, createdOnBranch, ...node }) => ({
      id,
      parentId,
      turnId,
      role,
      branchId: createdOnBranch,
      isError: node.isError,
      interrupted: node.interrupted,
      modelUsed: node.modelUsed,
      createdAt: node.createdAt,
      ...(node.mergedUpTo === undefined ? {} : { mergedUpTo: node.mergedUpTo }),
      ...(node.run === undefined ? {} : { run: node.run, below: node.below ?? 0, leadsTo: node.leadsTo ?? null }),
    })),
    branches: graph.branches.map((branch) => branchView(branch, about)),
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
    report: reported.map(({ nodeId, fidelity, reasons, estimatedTokens, reasoning }) => {
      const node = nodes.get(nodeId);
      return {
        nodeId,
        role: node?.role ?? 'user',
        fidelity,
        reasons: [...reasons],
        estimatedTokens,
        excerpt: (node?.content ?? '').slice(0, EXCERPT),
        ...(reasoning === undefined ? {} : { reasoning }),
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
    estimate: preview.estimate,
    ...(preview.effect && { effect: { ...preview.effect, lostReasoning: [...preview.effect.lostReasoning] } }),
  };
}

export function providerView(
  provider: Provider,
  providers: LiveProviders,
  fromOf: (id: string) => ProviderView['from'],
): ProviderView {
  const { id, label, protocol, baseUrl, defaultModel, models } = provider.deployment;
  return {
    id,
    label,
    protocol,
    baseUrl,
    ready: provider.keyProblem === null,
    keySource: providers.keySourceOf(id),
    keyVariable: providers.keyVariableOf(id),
    simulated: providers.isSimulated(id),
    from: fromOf(id),
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
    takesFiles: [...takenFileTypes(deployment, model)],
    providerTools: offeredProviderTools(deployment, model).map(({ tool, settings, required }) => ({
      tool,
      settings: [...settings],
      required: [...required],
    })),
    price: price === undefined ? null : { input: price.input, output: price.output, asOf: price.asOf },
  };
}

export function toolView({ name, description, approval, source, available }: ListedTool): ToolView {
  return { name, description, approval, source, available };
}
