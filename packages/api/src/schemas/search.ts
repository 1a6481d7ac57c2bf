import { z } from '@hono/zod-openapi';
import { Id } from './common.ts';

const Role = z.enum(['system', 'user', 'assistant', 'tool']);

/** Several of one kind are separated by commas. */
export const SearchQuery = z.object({
  /** Words, phrases and filters, as they are typed. */
  q: z.string().max(1000).optional(),
  project: Id.optional(),
  branch: z.string().min(1).max(1000).optional(),
  role: z.string().max(100).optional(),
  model: z.string().min(1).max(200).optional(),
  from: z.string().max(40).optional(),
  to: z.string().max(40).optional(),
  has: z.enum(['file', 'star', 'bookmark', 'note', 'verdict']).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z.string().max(4000).optional(),
});

export const SearchView = z
  .object({
    hits: z.array(
      z.object({
        kind: z.enum(['project', 'node', 'branch']),
        projectId: Id,
        projectName: z.string(),
        archived: z.boolean(),
        /** The branch that was found, or that leads to the message; null where none does. */
        branchId: Id.nullable(),
        branchName: z.string().nullable(),
        hidden: z.boolean(),
        nodeId: Id.nullable(),
        role: Role.nullable(),
        model: z.string().nullable(),
        createdAt: z.string(),
        matches: z.array(
          z.object({
            where: z.enum(['name', 'text', 'reasoning', 'tool', 'file', 'note']),
            file: z.string().optional(),
            snippet: z.array(z.object({ text: z.string(), hit: z.boolean() })),
          }),
        ),
      }),
    ),
    /** For the next page; null at the end. */
    cursor: z.string().nullable(),
    /** Not everything is indexed yet. */
    indexing: z.boolean(),
  })
  .openapi('Search');
