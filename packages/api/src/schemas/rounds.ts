import { z } from '@hono/zod-openapi';
import { ClientRequestId, Id, LIMITS, MaxTokens, ModelId, Name, ProviderId, Ref, ThinkingSetting } from './common.ts';

const FILE_CHARACTERS = 4_000_000;

const QuestionView = z.object({ id: z.string(), text: z.string(), expected: z.string().optional() });

const GivenQuestion = z
  .object({
    /** Numbered if absent. */
    id: z.string().max(LIMITS.nameCharacters).optional(),
    text: z.string().max(LIMITS.messageCharacters),
    /** What a good answer says; no model gets it. */
    expected: z.string().max(LIMITS.messageCharacters).optional(),
  })
  .strict();

const systemPrompt = z.string().max(LIMITS.systemPromptCharacters).nullable().optional();

const Source = z.union([
  z.object({ questions: z.array(GivenQuestion).max(LIMITS.importedPrompts) }).strict(),
  /** JSON Lines, or plain text with one question per line; guessed from the first line without a format. */
  z.object({ file: z.string().max(FILE_CHARACTERS), format: z.enum(['jsonl', 'text']).optional() }).strict(),
  /** What the person said on a branch. */
  z.object({ projectId: Id, ref: Ref }).strict(),
]);

export const CreateQuestionSet = z
  .object({
    name: Name,
    /** Absent: that of the branch, or none. */
    systemPrompt,
    from: Source,
  })
  .strict()
  .openapi('CreateQuestionSet');

/** What is absent stays. */
export const UpdateQuestionSet = z
  .object({
    name: Name.optional(),
    systemPrompt,
    /** Other questions, in place of all that there are. */
    from: Source.optional(),
  })
  .strict()
  .openapi('UpdateQuestionSet');

const Money = z.number().nonnegative().max(1_000_000);

export const RoundView = z
  .object({
    id: Id,
    setId: Id,
    /** Where its answers are. */
    projectId: Id,
    targets: z.array(
      z.object({
        label: z.string(),
        provider: z.string(),
        model: z.string(),
        /** Null: as Bough's default. */
        thinking: ThinkingSetting.nullable(),
        /** The id of the preset that it was made from. */
        preset: Id.nullable(),
      }),
    ),
    samples: z.number().int(),
    /** In US dollars. */
    limit: z.number(),
    maxTokens: z.number().int().nullable(),
    atOnce: z.number().int(),
    state: z.enum(['running', 'paused', 'cancelled', 'finished']),
    /** Why it stands still, if nobody asked for that. */
    because: z
      .object({ code: z.enum(['limit_reached', 'over_budget', 'project_gone', 'set_gone']), detail: z.string() })
      .nullable(),
    /** How many answers there will be, and how many there are. */
    answers: z.number().int(),
    complete: z.number().int(),
    failed: z.number().int(),
    running: z.number().int(),
    /** In US dollars, of all attempts; where a provider did not count, what was expected. */
    spent: z.number(),
    createdAt: z.string(),
    endedAt: z.string().nullable(),
  })
  .openapi('Round');

export const QuestionSetView = z
  .object({
    id: Id,
    name: z.string(),
    systemPrompt: z.string().nullable(),
    /** How many questions it has. */
    count: z.number().int(),
    createdAt: z.string(),
    /** The oldest first. */
    rounds: z.array(RoundView),
  })
  .openapi('QuestionSet');

export const WholeQuestionSetView = QuestionSetView.extend({ questions: z.array(QuestionView) }).openapi(
  'WholeQuestionSet',
);

const target = z
  .object({
    provider: ProviderId.optional(),
    model: ModelId.optional(),
    thinking: ThinkingSetting.optional(),
    /** By id or name. What is named besides it counts more. */
    preset: Name.optional(),
  })
  .strict();

const wish = {
  targets: z.array(target).min(1, { message: 'name at least one model to ask' }).max(20),
  /** How many answers each of them gives to each question; one if absent. */
  samples: z.number().int().min(1).max(20).optional(),
  /** The most tokens of each answer. With it, the limit on money is not exceeded. */
  maxTokens: MaxTokens.optional(),
};

export const EstimateRound = z.object(wish).strict().openapi('EstimateRound');

export const RoundEstimateView = z
  .object({
    targets: z.array(
      z.object({
        /** Null where the target would be refused. */
        label: z.string().nullable(),
        answers: z.number().int(),
        /** In US dollars; null where no price is known. */
        inputCost: z.number().nullable(),
        /** With answers of a thousand tokens. */
        likelyCost: z.number().nullable(),
        /** With answers as long as they may be. */
        mostCost: z.number().nullable(),
        refused: z.object({ code: z.string(), detail: z.string() }).nullable(),
      }),
    ),
  })
  .openapi('RoundEstimate');

export const StartRound = z
  .object({
    ...wish,
    /** In US dollars: no more is asked when this is spent, or would be. */
    limit: Money,
    /** How many answers of one provider are made at the same time; three if absent. */
    atOnce: z.number().int().min(1).max(16).optional(),
    /** Also asks models whose price is unknown, for which no limit on money can hold. */
    unpriced: z.boolean().optional(),
    clientRequestId: ClientRequestId.optional(),
  })
  .strict()
  .openapi('StartRound');

export const UpdateRound = z
  .object({
    /** A pause lets the answers under way end; a cancellation stops them. */
    state: z.enum(['running', 'paused', 'cancelled']).optional(),
    limit: Money.optional(),
    /** Asks again what failed, was refused or was interrupted. */
    again: z.literal(true).optional(),
  })
  .strict()
  .openapi('UpdateRound');

export const RoundQuery = z.object({
  /** The first question of the page. */
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /** How many questions; 50 if absent. */
  limit: z.coerce.number().int().min(1).max(200).optional(),
  /** The most characters of each answer; all of them if absent. */
  characters: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
});

export const RoundTableView = z
  .object({
    round: RoundView,
    set: z.object({ id: Id, name: z.string(), count: z.number().int() }),
    /** By target, over all questions. */
    sums: z.array(
      z.object({
        label: z.string(),
        complete: z.number().int(),
        failed: z.number().int(),
        cost: z.number().nullable(),
        /** The mean of its complete answers. */
        milliseconds: z.number().nullable(),
        outputTokens: z.number(),
      }),
    ),
    rows: z.array(
      z.object({
        question: QuestionView,
        answers: z.array(
          z.object({
            target: z.number().int(),
            sample: z.number().int(),
            status: z.enum(['pending', 'running', 'waiting', 'complete', 'failed', 'interrupted', 'refused']),
            text: z.string(),
            branch: z.string().nullable(),
            nodeId: Id.nullable(),
            cost: z.number().nullable(),
            milliseconds: z.number().nullable(),
            error: z.object({ code: z.string(), detail: z.string() }).nullable(),
          }),
        ),
      }),
    ),
  })
  .openapi('RoundTable');
