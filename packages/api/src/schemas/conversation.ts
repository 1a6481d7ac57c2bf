import { z } from '@hono/zod-openapi';
import {
  ChoiceChanges,
  ClientRequestId,
  ContentBlock,
  EnvelopeRequest,
  InstructionsFrom,
  Id,
  LIMITS,
  MessageContent,
  ModelId,
  Name,
  ProviderId,
  Ref,
  ReplyLimits,
  ThinkingSetting,
  ToolCallId,
  Usage,
} from './common.ts';
import { CallMoney, EstimateView } from './costs.ts';
import { BranchView, ModelNoticeView } from './project.ts';

export const NodeView = z
  .object({
    id: Id,
    projectId: Id,
    parentId: Id.nullable(),
    turnId: Id.nullable(),
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    contentBlocks: z.array(ContentBlock),
    content: z.string(),
    provider: z.string().nullable(),
    modelUsed: z.string().nullable(),
    toolCallId: z.string().nullable(),
    /** How long the tool ran, without the waiting for a person; only on results, and not on old ones. */
    toolMs: z.number().optional(),
    thinking: z
      .object({ availability: z.enum(['none', 'summary', 'full', 'redacted', 'partial']), truncated: z.boolean() })
      .nullable(),
    isError: z.boolean(),
    interrupted: z.boolean(),
    includeThinkingInContext: z.boolean(),
    createdAt: z.string(),
    /** The node among its siblings, in order of creation. */
    siblingIds: z.array(Id),
  })
  .openapi('Node');

export const CallView = z
  .object({
    id: Id,
    nodeId: Id.nullable(),
    provider: z.string(),
    model: z.string(),
    status: z.enum(['running', 'complete', 'error', 'interrupted']),
    startedAt: z.string(),
    firstByteAt: z.string().nullable(),
    endedAt: z.string().nullable(),
    usage: Usage.nullable(),
    cost: z.number().nullable(),
    /** The cost part by part; null where it is unknown, or where the price has changed since. */
    money: CallMoney.nullable(),
    /** What went wrong, where something did. */
    errorCode: z.string().nullable(),
    /** Why a complete reply ended before the model was done; absent if it did not. */
    endedBy: z.enum(['max_tokens', 'refusal', 'context_exceeded']).optional(),
  })
  .openapi('Call');

const ToolResult = z.object({ nodeId: Id.nullable(), content: z.string(), isError: z.boolean() });
/** At least one of the two is known. An address is always one of the web. */
const Source = z.object({ url: z.string().nullable(), title: z.string().nullable() });
const Citation = z.object({
  start: z.number().int(),
  end: z.number().int(),
  source: Source,
  quoted: z.string().nullable(),
});
/** What a tool that the provider runs itself did. */
const ProviderToolUse = z.object({
  kind: z.enum(['web_search', 'web_fetch', 'code_execution', 'file_search', 'image_generation', 'remote_mcp', 'other']),
  name: z.string().nullable(),
  queries: z.array(z.string()),
  urls: z.array(z.string()),
  code: z.string().nullable(),
  sources: z.array(Source),
  output: z.string().nullable(),
  files: z.array(z.string()),
  pictures: z.array(z.object({ mediaType: z.string(), data: z.string() })),
  error: z.string().nullable(),
  state: z.enum(['running', 'done', 'failed']),
});
const TimelineItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('think'), nodeId: Id.nullable(), text: z.string(), redacted: z.boolean() }),
  z.object({
    type: z.literal('tool'),
    nodeId: Id.nullable(),
    id: z.string(),
    name: z.string(),
    parameters: z.record(z.string(), z.unknown()),
    result: ToolResult.nullable(),
  }),
  z.object({ type: z.literal('provider'), nodeId: Id.nullable(), use: ProviderToolUse }),
  /** A picture or another file that is part of the reply. Its bytes are at `/api/blobs/{hash}`. */
  z.object({ type: z.literal('file'), nodeId: Id.nullable(), file: ContentBlock }),
  z.object({
    type: z.literal('text'),
    nodeId: Id.nullable(),
    text: z.string(),
    isError: z.boolean(),
    /** Offsets count in the text; absent where nothing is cited. */
    citations: z.array(Citation).optional(),
  }),
]);

export const MessageGroupView = z
  .object({
    turnId: Id.nullable(),
    isThinkingMode: z.boolean(),
    status: z.enum(['running', 'awaiting_approval', 'complete', 'error', 'interrupted']),
    user: NodeView.nullable(),
    reply: z.array(NodeView),
    segments: z.array(z.object({ kind: z.enum(['reasoning', 'reply']), items: z.array(TimelineItem) })),
    calls: z.array(CallView),
  })
  .openapi('MessageGroup');

export const HistoryQuery = z
  .object({
    ref: Ref,
    before: Id.optional(),
    /** The last node of a page; the project's id stands for its root, that is, for the oldest page. */
    after: Id.optional(),
    /** Half of the page comes before this node, wherever on the branch it is. */
    around: Id.optional(),
    limit: z.coerce.number().int().min(1).max(LIMITS.pageTurns).optional(),
  })
  .refine(({ before, after, around }) => [before, after, around].filter((each) => each !== undefined).length < 2, {
    message: 'Give at most one of `before`, `after` and `around`.',
  });

export const HistoryView = z
  .object({
    branch: BranchView,
    groups: z.array(MessageGroupView),
    hasMore: z.boolean(),
    /** Whether the branch goes on after the page. */
    hasNewer: z.boolean(),
    /** Pass as `before` for the previous page. */
    firstNodeId: Id.nullable(),
    /** Pass as `after` for the next page. */
    lastNodeId: Id.nullable(),
    /** The newest reply by another provider or model on the page: up to there the context is canonical. */
    breakNodeId: Id.nullable(),
  })
  .openapi('History');

const toolChoice = z.enum(['auto', 'none']).optional();
/** Goes on although a budget is used up: somebody was told, and said so. */
const overBudget = z.boolean().optional();

export const Chat = z
  .object({
    message: MessageContent,
    /** The branch, by name or id. */
    ref: Ref,
    llmProvider: ProviderId.optional(),
    llmModel: ModelId.optional(),
    thinking: ThinkingSetting.optional(),
    tools: EnvelopeRequest.tools,
    toolChoice,
    ...ReplyLimits,
    clientRequestId: ClientRequestId.optional(),
    overBudget,
  })
  .strict()
  .openapi('Chat');

export const Edit = z
  .object({
    nodeId: Id,
    content: MessageContent,
    branchName: Name.optional(),
    llmProvider: ProviderId.optional(),
    llmModel: ModelId.optional(),
    thinking: ThinkingSetting.optional(),
    tools: EnvelopeRequest.tools,
    systemPrompt: EnvelopeRequest.systemPrompt,
    /** The branch whose envelope is inherited; if absent, the one that the node was made on. */
    ref: Ref.optional(),
    ...ReplyLimits,
    clientRequestId: ClientRequestId.optional(),
    overBudget,
  })
  .strict()
  .openapi('Edit');

export const Regenerate = z
  .object({
    ref: Ref,
    /** The reply to regenerate; the branch's newest if absent. */
    nodeId: Id.optional(),
    n: z.number().int().min(1).max(LIMITS.regenerate).optional(),
    llmProvider: ProviderId.optional(),
    llmModel: ModelId.optional(),
    thinking: ThinkingSetting.optional(),
    ...ReplyLimits,
    clientRequestId: ClientRequestId.optional(),
    overBudget,
  })
  .strict()
  .openapi('Regenerate');

export const Continue = z
  .object({ ref: Ref, ...ReplyLimits, clientRequestId: ClientRequestId.optional(), overBudget })
  .strict()
  .openapi('Continue');

export const Interrupt = z
  .object({
    turnId: Id.optional(),
    ref: Ref.optional(),
    /** Stops every reply that is being made to this message, on whatever branch. */
    answering: Id.optional(),
  })
  .strict()
  .refine(({ turnId, ref, answering }) => turnId !== undefined || ref !== undefined || answering !== undefined, {
    message: 'Name a turnId, a ref or the message that is being answered.',
  })
  .openapi('Interrupt');

export const Interrupted = z
  .object({
    turnId: Id,
    /** All of them, if a message was named. */
    turnIds: z.array(Id),
  })
  .openapi('Interrupted');

export const Approve = z
  .object({
    turnId: Id,
    toolCallId: ToolCallId,
    approve: z.boolean(),
    /** Why not: the model reads it as the result of the call. */
    reason: z.string().max(10_000).optional(),
    /** Also allows every later call of the tool on this branch. */
    always: z.boolean().optional(),
  })
  .strict()
  .openapi('Approve');

export const StartedTurns = z
  .object({
    turns: z.array(z.object({ turnId: Id, branch: z.string() })),
    /** What is not known about the model, if a branch was made for it. */
    notices: z.array(ModelNoticeView),
    /** How many of several replies could not be started, and why; absent if all of them were. */
    refused: z.object({ count: z.number().int(), code: z.string(), detail: z.string() }).optional(),
  })
  .openapi('StartedTurns');

export const ContextRequest = z
  .object({
    ref: Ref,
    message: MessageContent.optional(),
    /**
     * Preview a switch: what would be kept, become text or be left out with this provider, model, system prompt or
     * tools.
     */
    target: z
      .object({ ...EnvelopeRequest, instructionsFrom: InstructionsFrom })
      .strict()
      .optional(),
    /** Preview what it would cost and spare to leave out, pin or put back these messages. */
    choices: ChoiceChanges.optional(),
    /** Preview another reply in place of this one. */
    regenerate: Id.optional(),
  })
  .strict()
  .openapi('ContextRequest');

export const ContextReportRequest = ContextRequest.extend({
  /** Report only on the part of the path from this node on; a node that is not on it leaves nothing out. */
  from: Id.optional(),
  /** Report only on the part of the path up to this node. */
  to: Id.optional(),
}).openapi('ContextReportRequest');

export const ChoiceEffect = z
  .object({
    /** How many tokens fewer the next request has; negative if it has more. */
    savedTokens: z.number(),
    /** How many tokens stand behind the first change: no cache has them in this place, so they are written again. */
    rewrittenTokens: z.number(),
    /** What writing them again costs in US dollars; null where the price is unknown. */
    rewriteCost: z.number().nullable(),
    /** Replies whose reasoning goes back now and would not any more, because it is bound to what precedes it. */
    lostReasoning: z.array(Id),
  })
  .openapi('ChoiceEffect');

/** What happens to every node, without the request itself, which is as long as the conversation. */
export const ContextReport = z
  .object({
    provider: z.string(),
    model: z.string(),
    report: z.array(
      z.object({
        nodeId: Id,
        role: z.enum(['system', 'user', 'assistant', 'tool']),
        fidelity: z.enum(['verbatim', 'canonical', 'dropped']),
        reasons: z.array(z.string()),
        estimatedTokens: z.number(),
        excerpt: z.string(),
        /**
         * What happens to the reasoning of a reply: it goes back as it was made, goes as text because a person asked
         * for that, is left out though it could go as text, or goes back in parts. Absent where there is none.
         */
        reasoning: z.enum(['goes_back', 'as_text', 'left_out', 'incomplete']).optional(),
      }),
    ),
    notes: z.array(z.object({ nodeId: Id, reason: z.string(), detail: z.string() })),
    violations: z.array(z.object({ rule: z.string(), path: z.string(), message: z.string(), repaired: z.boolean() })),
    estimatedTokens: z.number(),
    contextWindow: z.number(),
    maxTokens: z.number(),
    breakNodeId: Id.nullable(),
    /** What the request will cost. */
    estimate: EstimateView,
    /** What the previewed choices change; absent where none were given, or nothing could be sent without them. */
    effect: ChoiceEffect.optional(),
  })
  .openapi('ContextReport');

export const ContextView = ContextReport.extend({
  /** The exact request that would be sent; it never contains credentials. */
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
  /**
   * Where the provider keeps the conversation so far and the request only continues it: the body with all of it, which
   * is what the request stands for and what is sent if the provider has forgotten. Otherwise null.
   */
  standsFor: z.string().nullable(),
  /** The body of the branch's newest request, for comparison; null if there was none, or if it is not kept. */
  previousBody: z.string().nullable(),
}).openapi('Context');

export const GraphQuery = z.object({
  /** The last node that the client has, and how many it has: if it has all up to there, it gets only what is new. */
  after: Id.optional(),
  count: z.coerce.number().int().min(1).optional(),
  /** Every node, this many at a time, in order of creation; the next part is asked for with `after` and `count`. */
  limit: z.coerce.number().int().min(1).max(LIMITS.graphNodes).optional(),
  /** The branch that somebody looks at: the way to its end is in the outline. */
  ref: Ref.optional(),
  /** Nodes with commas between them: the way to them is in the outline, and what comes after them. */
  open: z
    .string()
    .max(LIMITS.openNodes * 201)
    .optional(),
});

export const GraphView = z
  .object({
    /** How many nodes were left out because the client has them. */
    skipped: z.number().int(),
    /** How many the project has. An outline, or a part, has fewer. */
    total: z.number().int(),
    /** The one that was stored last; null where there is none. */
    lastId: Id.nullable(),
    nodes: z.array(
      z.object({
        id: Id,
        parentId: Id.nullable(),
        turnId: Id.nullable(),
        role: z.enum(['system', 'user', 'assistant', 'tool']),
        branchId: Id.nullable(),
        isError: z.boolean(),
        interrupted: z.boolean(),
        modelUsed: z.string().nullable(),
        createdAt: z.string(),
        /** Of a merge: the last message that it brought, on the branch that it came from. */
        mergedUpTo: Id.optional(),
        /** In an outline: how many messages in a line it stands for, itself included; its parent is the one above. */
        run: z.number().int().optional(),
        /** In an outline: how many messages after it are left out. */
        below: z.number().int().optional(),
        /** In an outline: a branch that leads to it. */
        leadsTo: Id.nullable().optional(),
      }),
    ),
    branches: z.array(BranchView),
  })
  .openapi('Graph');

export const NodeIds = z.object({ ids: z.array(Id) }).openapi('NodeIds');

export const RawView = z
  .object({
    provider: z.string(),
    api: z.string(),
    version: z.number(),
    deployment: z.string(),
    model: z.string(),
    capturedAt: z.string(),
    complete: z.boolean(),
    payload: z.unknown(),
  })
  .openapi('Raw');

export const SetThinkingInContext = z
  .object({
    includeInContext: z.boolean(),
    /** The branch that the answer is about. */
    ref: Ref.optional(),
  })
  .strict()
  .openapi('SetThinkingInContext');
export const ThinkingInContextView = z
  .object({ node: NodeView, warning: z.string().nullable() })
  .openapi('ThinkingInContext');

export const AppendMessages = z
  .object({
    /** One message of the user: short for a single entry of `messages`. */
    content: MessageContent.optional(),
    messages: z
      .array(
        z
          .object({
            role: z.enum(['system', 'user', 'assistant', 'tool']),
            content: MessageContent,
            toolCallId: ToolCallId.optional(),
          })
          .strict(),
      )
      .min(1)
      .max(10_000)
      .optional(),
    /** Moves this branch's tip to the last node, if it is still at the parent. */
    ref: Ref.optional(),
  })
  .strict()
  .refine(({ content, messages }) => (content === undefined) !== (messages === undefined), {
    message: 'Give either `messages` or `content`.',
  })
  .openapi('AppendMessages');
export const AppendedView = z
  .object({
    /** The nodes of the sequence in order, found or new; empty messages have none. */
    nodes: z.array(NodeView),
    /** `nodeIds[i]` belongs to `messages[i]`; null if that message was empty. */
    nodeIds: z.array(Id.nullable()),
    created: z.array(Id),
    tipId: Id.nullable(),
  })
  .openapi('Appended');
export const EditContent = z.object({ content: MessageContent }).strict().openapi('EditContent');
export const NodeList = z.object({ nodes: z.array(NodeView) }).openapi('NodeList');
