import { z } from '@hono/zod-openapi';
import { Id } from './common.ts';

const Kind = z.enum(['star', 'bookmark', 'note', 'verdict', 'question']);
const Verdict = z.enum(['better', 'worse', 'tied', 'good', 'bad']);

/** What a person keeps beside a message. No model gets it. */
export const AnnotationView = z
  .object({
    projectId: Id,
    nodeId: Id,
    kind: Kind,
    /** Of a bookmark its name, of a verdict the comparison that it was given in, of a question its branch. */
    name: z.string(),
    /** The words of a note or a question, the reason of a verdict. */
    text: z.string(),
    changedAt: z.string(),
    verdict: Verdict.optional(),
    blind: z.literal(true).optional(),
  })
  .openapi('Annotation');

/** With what people know the message by. */
export const ListedAnnotation = AnnotationView.extend({
  projectName: z.string(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  model: z.string().nullable(),
  /** The beginning of the message. */
  title: z.string(),
  /** A branch that leads to the message; null where none does. */
  branchId: Id.nullable(),
  branchName: z.string().nullable(),
}).openapi('ListedAnnotation');

export const AnnotationsQuery = z.object({
  project: Id.optional(),
  /** Several are separated by commas. */
  kind: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  /** The first so many are left out: the next page. */
  offset: z.coerce.number().int().min(0).optional(),
});

/** What is absent stays as it is. */
export const AnnotateNode = z
  .object({
    star: z.boolean().optional(),
    /** Null takes it away. */
    note: z.string().max(20_000).nullable().optional(),
    addBookmark: z.string().trim().min(1).max(200).optional(),
    removeBookmark: z.string().max(200).optional(),
    mark: z.enum(['good', 'bad']).nullable().optional(),
    reason: z.string().max(20_000).optional(),
    /** Whoever marked it did not see which model said it. */
    blind: z.boolean().optional(),
  })
  .strict()
  .openapi('AnnotateNode');

export const Judge = z
  .object({
    /** Replies to the same message. */
    nodes: z.array(Id).min(2).max(100),
    /** Those that are better than the others; all of them: they are tied. */
    best: z.array(Id).min(1).max(100),
    reason: z.string().max(20_000).optional(),
    /** Whoever judged did not see which model said what. */
    blind: z.boolean().optional(),
  })
  .strict()
  .openapi('Judge');

export const ModelResult = z
  .object({
    provider: z.string(),
    model: z.string(),
    wins: z.number(),
    losses: z.number(),
    ties: z.number(),
    good: z.number(),
    bad: z.number(),
    replies: z.number(),
    cost: z.number().nullable(),
    averageMs: z.number().nullable(),
  })
  .openapi('ModelResult');
