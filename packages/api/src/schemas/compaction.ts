import { z } from '@hono/zod-openapi';
import { ClientRequestId, Id, LIMITS, Name, Ref } from './common.ts';
import { CallView } from './conversation.ts';
import { BranchView } from './project.ts';

const asked = {
  ref: Ref,
  /** The last message that the summary stands for, rounded to the end of its turn; absent: the newest. */
  upTo: Id.optional(),
  /** What the model is asked for; absent: files, decisions, facts and open questions. */
  instruction: z.string().max(LIMITS.instructionCharacters).optional(),
};

export const CompactionRequest = z.object(asked).strict().openapi('CompactionRequest');

/** What a summary would do and cost. Tokens are estimated, prices are in US dollars and null where unknown. */
export const CompactionPreview = z
  .object({
    upTo: Id,
    /** The range does not end with the message that was asked for, because no turn ends there. */
    isRounded: z.boolean(),
    coveredNodes: z.number().int(),
    coveredTurns: z.number().int(),
    /** Pinned messages in the range: their turns go along behind the summary. */
    pinned: z.array(Id),
    /** The next request as it is, and with the summary. */
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    /** What the request for the summary sends, and what the summary is taken to have. */
    requestTokens: z.number(),
    summaryTokens: z.number(),
    /** If nothing of that request is in the provider's cache, and if everything but the question is. */
    cost: z.number().nullable(),
    cachedCost: z.number().nullable(),
    /** What stands behind the summary is in no cache in its new place; writing it there costs this. */
    rewrittenTokens: z.number(),
    rewriteCost: z.number().nullable(),
    /** Replies behind the summary whose reasoning goes back now and would not any more. */
    lostReasoning: z.array(Id),
    /** Messages that do not fit into the request for the summary: where there are any, it is refused. */
    unread: z.number().int(),
    /** What the model is asked for where nothing else is given. */
    instruction: z.string(),
    /** Who makes it: the provider by itself, which signs it, or the branch's model, which is asked. */
    by: z.enum(['provider', 'model']),
  })
  .openapi('CompactionPreview');

export const Compact = z
  .object({
    ...asked,
    /** The name of the new branch; where it is taken, a free one like it. */
    name: Name.optional(),
    clientRequestId: ClientRequestId.optional(),
    /** Goes beyond a budget that is used up. */
    overBudget: z.boolean().optional(),
  })
  .strict()
  .openapi('Compact');

export const Compacted = z
  .object({
    /** The new branch: the summary, then everything behind it. The old one stays. */
    branch: BranchView,
    summaryId: Id,
    upTo: Id,
    isRounded: z.boolean(),
    /** What the summary cost; null where that is unknown, or where the request was made before. */
    cost: z.number().nullable(),
  })
  .openapi('Compacted');

export const SummaryView = z
  .object({
    summary: z
      .object({
        id: Id,
        /** The last message that it stands for. */
        upTo: Id,
        text: z.string(),
        /** What was asked; null where the provider made it by itself. */
        instruction: z.string().nullable(),
        provider: z.string().nullable(),
        model: z.string().nullable(),
        createdAt: z.string(),
        coveredNodes: z.number().int(),
        /** The call that made it, and those before it that came to nothing. */
        calls: z.array(CallView),
      })
      .nullable(),
  })
  .openapi('Summary');
