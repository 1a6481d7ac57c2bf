import { z } from '@hono/zod-openapi';
import { ClientRequestId, Id, LIMITS, Ref } from './common.ts';
import { NodeView } from './conversation.ts';
import { BranchView } from './project.ts';

const asked = {
  /** The branch that something is brought from, and the one that it is brought to. */
  from: Ref,
  into: Ref,
};

export const MergeRequest = z.object(asked).strict().openapi('MergeRequest');

/** What a merge would bring. Tokens are estimated, prices are in US dollars and null where unknown. */
export const MergePreview = z
  .object({
    source: z.object({ id: Id, name: z.string() }),
    target: z.object({ id: Id, name: z.string() }),
    /** What is brought came after this message, up to that one; null: from the beginning. */
    after: Id.nullable(),
    upTo: Id,
    /** Where that is: at the beginning, where the branches part, or where an earlier merge ended. */
    since: z.enum(['start', 'fork', 'merge']),
    /** What may be chosen, oldest first. */
    messages: z.array(z.object({ node: NodeView, tokens: z.number() })),
    /** Its last answer; null where nothing that is new is an answer. */
    answer: z.object({ nodeId: Id, tokens: z.number() }).nullable(),
    summary: z.object({
      /** What the request for it sends, and what it is taken to have. */
      requestTokens: z.number(),
      tokens: z.number(),
      cost: z.number().nullable(),
      provider: z.string(),
      model: z.string(),
      /** What the model is asked for unless the request says something else. */
      instruction: z.string(),
      /** Messages that do not fit into that request: where there are any, it is refused. */
      unread: z.number().int(),
    }),
  })
  .openapi('MergePreview');

const MergeWay = z.enum(['answer', 'summary', 'messages']);

export const Merge = z
  .object({
    ...asked,
    by: MergeWay,
    /** With `messages`: those that are brought. */
    nodeIds: z.array(Id).max(1000).optional(),
    /** With `summary`: what the model is asked for. */
    instruction: z.string().max(LIMITS.instructionCharacters).optional(),
    clientRequestId: ClientRequestId.optional(),
    /** Goes beyond a budget that is used up. */
    overBudget: z.boolean().optional(),
  })
  .strict()
  .openapi('Merge');

export const Merged = z
  .object({
    /** The merge: a message of the user at the end of the target. */
    node: NodeView,
    branch: BranchView,
    /** What the summary cost; null where that is unknown, or where there is none. */
    cost: z.number().nullable(),
  })
  .openapi('Merged');

const DiffLine = z.union([
  z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() }),
  z.object({ kind: z.literal('gap'), count: z.number().int() }),
]);

export const MergeView = z
  .object({
    branchId: Id,
    /** The name that the source had then, and the one that it has now; null where it was deleted. */
    branchName: z.string(),
    sourceName: z.string().nullable(),
    by: MergeWay,
    after: Id.nullable(),
    upTo: Id,
    nodeIds: z.array(Id),
    /** What was brought, without the words that say from where. */
    text: z.string(),
    /** What came after the fork on the source; null where messages of it were deleted. */
    messages: z.array(NodeView).nullable(),
    /** The last answer on the target before the merge, against what was brought. */
    comparedWith: Id.nullable(),
    diff: z.object({ lines: z.array(DiffLine), added: z.number().int(), removed: z.number().int() }),
  })
  .openapi('MergeView');
