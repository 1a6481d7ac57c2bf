import { z } from '@hono/zod-openapi';
import {
  ClientRequestId,
  Id,
  LIMITS,
  MessageContent,
  ModelId,
  Name,
  ProviderId,
  Ref,
  ThinkingSetting,
} from './common.ts';
import { EstimateView } from './costs.ts';
import { ModelNoticeView } from './project.ts';

/** Who is asked: what is not named is as on the branch that the question comes from. */
export const AskTarget = z
  .object({
    provider: ProviderId.optional(),
    model: ModelId.optional(),
    thinking: ThinkingSetting.optional(),
    /** By id or name. What is named besides it counts more. */
    preset: Name.optional(),
    /** How many answers; one if absent. */
    n: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.regenerate, { message: `at most ${LIMITS.regenerate} answers of one model at a time` })
      .optional(),
  })
  .strict()
  .openapi('AskTarget');

export const Ask = z
  .object({
    /** The branch whose end is asked from, and whose envelope the answers inherit. It stays as it is. */
    ref: Ref.optional(),
    /** Asks from this message instead of from the end of the branch. */
    fromNodeId: Id.optional(),
    /** Absent: the message that is there already is answered, or the one that the reply there answers. */
    message: MessageContent.optional(),
    targets: z.array(AskTarget).min(1, { message: 'name at least one model to ask' }).max(LIMITS.askAnswers),
    clientRequestId: ClientRequestId.optional(),
    overBudget: z.boolean().optional(),
  })
  .strict()
  .refine(({ ref, fromNodeId }) => ref !== undefined || fromNodeId !== undefined, {
    message: 'Name a ref or a fromNodeId to ask from.',
  })
  .refine(({ targets }) => targets.reduce((sum, { n = 1 }) => sum + n, 0) <= LIMITS.askAnswers, {
    message: `All targets together give at most ${LIMITS.askAnswers} answers at a time.`,
    path: ['targets'],
  })
  .openapi('Ask');

const Refused = z.object({ code: z.string(), detail: z.string() });

export const AskedView = z
  .object({
    /** The message that all of them answer. */
    nodeId: Id,
    answers: z.array(
      z.object({
        /** Which of the targets gives it. */
        target: z.number().int(),
        turnId: Id,
        branch: z.string(),
        branchId: Id,
        provider: z.string(),
        model: z.string(),
      }),
    ),
    /** What could not be started of a target, and why; the others answer nevertheless. */
    refused: z.array(Refused.extend({ target: z.number().int(), count: z.number().int() })),
    /** What is not known about the models. */
    notices: z.array(ModelNoticeView),
  })
  .openapi('Asked');

export const AskEstimate = z
  .object({
    targets: z.array(
      z.object({
        /** Null where the target names a preset or provider that does not exist. */
        provider: z.string().nullable(),
        model: z.string().nullable(),
        n: z.number().int(),
        /** Of one answer; null if the target would be refused. */
        estimate: EstimateView.nullable(),
        refused: Refused.nullable(),
      }),
    ),
    /** Of all answers that would be given, in US dollars; null where no price is known. */
    inputCost: z.number().nullable(),
    /** With replies as long as they may be. */
    mostCost: z.number().nullable(),
    /** Answers whose price is unknown: they are not part of the sums. */
    unpriced: z.number().int(),
  })
  .openapi('AskEstimate');

export const Keep = z
  .object({
    /** The message that was asked. */
    nodeId: Id,
    /** The branches that are decided about: those of the answers. */
    answers: z.array(Ref).min(1, { message: 'name the branches of the answers' }).max(1000),
    /** Those among them that stay; none: all of them go. */
    keep: z.array(Ref).max(1000),
  })
  .strict()
  .openapi('Keep');

export const KeptView = z
  .object({
    /** The names of the branches that are gone. */
    deleted: z.array(z.string()),
    /** What they are filed under in the trash, in the order in which they can be restored. */
    trashIds: z.array(Id),
  })
  .openapi('Kept');
