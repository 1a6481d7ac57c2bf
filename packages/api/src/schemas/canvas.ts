import { z } from '@hono/zod-openapi';
import { Id, LIMITS, Ref } from './common.ts';

const By = z.enum(['person', 'model']);

/** A version of the project's document, whole. */
export const CanvasView = z
  .object({
    /** What names the version; null for what another program kept with the project. */
    version: Id.nullable(),
    text: z.string(),
    by: By,
    /** Whether models are told about what people write. */
    inContext: z.boolean(),
    createdAt: z.string(),
    /** The version of another branch that was merged into it. */
    mergedFrom: z.string().optional(),
  })
  .openapi('Canvas');

export const CanvasVersionView = z
  .object({
    version: Id,
    by: By,
    inContext: z.boolean(),
    createdAt: z.string(),
    mergedFrom: z.string().optional(),
    characters: z.number(),
    /** Lines, compared with the version before. */
    added: z.number(),
    removed: z.number(),
  })
  .openapi('CanvasVersion');

export const CanvasQuery = z.object({
  ref: Ref,
  /** An older version on the path of the branch. */
  version: Id.optional(),
});

export const WriteCanvas = z
  .object({
    ref: Ref,
    text: z.string().max(LIMITS.messageCharacters),
    inContext: z.boolean().optional(),
    /** The version that was read before; null if there was none. */
    expected: Id.nullable(),
  })
  .strict()
  .openapi('WriteCanvas');

export const MergeCanvas = z
  .object({
    ref: Ref,
    from: Ref,
    /** Which side counts, for each conflict in its order. */
    choices: z
      .array(z.enum(['ours', 'theirs', 'both']))
      .max(10_000)
      .optional(),
    expected: Id.nullable().optional(),
    /** Show what would come of it, and store nothing. */
    preview: z.boolean().optional(),
  })
  .strict()
  .openapi('MergeCanvas');

const Lines = z.array(z.string());
export const MergedCanvasView = z
  .object({
    parts: z.array(
      z.union([
        z.object({ kind: z.literal('merged'), lines: Lines }),
        z.object({ kind: z.literal('conflict'), base: Lines, ours: Lines, theirs: Lines }),
      ]),
    ),
    conflicts: z.number(),
    /** Null while a conflict is open. */
    text: z.string().nullable(),
    saved: CanvasView.nullable(),
  })
  .openapi('MergedCanvas');
