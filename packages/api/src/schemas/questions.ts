import { QUESTION_LIMITS } from '@bough/core';
import { z } from '@hono/zod-openapi';
import { ClientRequestId, Id, ModelId, ProviderId, Ref, ThinkingSetting } from './common.ts';
import { ModelNoticeView } from './project.ts';

const Around = z.string().max(QUESTION_LIMITS.around);
const Offset = z.number().int().min(0).max(100_000_000);

export const AskAbout = z
  .object({
    /** The reply whose words are asked about. */
    nodeId: Id,
    /** The words, as they are read. */
    quote: z.string().min(1).max(QUESTION_LIMITS.quote),
    question: z.string().min(1).max(QUESTION_LIMITS.question),
    /** What comes before and after the words, and about where they begin: where they occur twice, this decides. */
    before: Around.optional(),
    after: Around.optional(),
    offset: Offset.optional(),
    /** The branch whose envelope is inherited; if absent, the one that the reply was made on. */
    ref: Ref.optional(),
    llmProvider: ProviderId.optional(),
    llmModel: ModelId.optional(),
    thinking: ThinkingSetting.optional(),
    clientRequestId: ClientRequestId.optional(),
    /** Goes on although a budget is used up: somebody was told, and said so. */
    overBudget: z.boolean().optional(),
  })
  .strict()
  .openapi('AskAbout');

export const QuestionView = z
  .object({
    nodeId: Id,
    quote: z.string(),
    before: z.string(),
    after: z.string(),
    offset: z.number().nullable(),
    question: z.string(),
    branchId: Id,
    branch: z.string(),
    /** Whether lists of branches leave it out: until it is opened as an ordinary one. */
    hidden: z.boolean(),
    provider: z.string(),
    model: z.string(),
    /** The message that asks, on the branch. */
    messageId: Id,
    askedAt: z.string(),
    status: z.enum(['running', 'awaiting_approval', 'complete', 'error', 'interrupted']),
    /** The turn that answers; watch it by its stream. */
    turnId: Id.nullable(),
    /** What is stored of the answer; after a failure, what went wrong. */
    answer: z.string(),
    answerId: Id.nullable(),
  })
  .openapi('Question');

export const AskedAboutView = z
  .object({
    question: QuestionView,
    /** What is not known about the model, if it is another one than the branch has. */
    notices: z.array(ModelNoticeView),
  })
  .openapi('Asked');

export const QuestionsQuery = z.object({
  /** Only about these messages; several are separated by commas. */
  nodes: z.string().max(20_000).optional(),
});
