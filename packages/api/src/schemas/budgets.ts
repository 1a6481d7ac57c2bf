import { z } from '@hono/zod-openapi';
import { Id, Name } from './common.ts';
import { Place, Places } from './settings.ts';

/** It stands in headers of answers, and in addresses. */
export const BudgetName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/, 'use letters, digits, spaces, ".", "_" and "-"; at most 40');

/** An entry of `budgets` in a configuration file. */
export const BudgetEntry = z
  .object({
    /** The id of a project; `*`: each project on its own; absent: all of them together. */
    project: Name.optional(),
    /** The same for clients of the gateway, by name; Bough itself is `bough`. */
    client: Name.optional(),
    /** Days and months of UTC; `total` never begins anew. Absent: `day`. */
    per: z.enum(['day', 'month', 'total']).optional(),
    /** The limit, in US dollars. */
    usd: z.number().positive().max(1e9).optional(),
    /** The limit, in tokens: input (what was read from a cache included) and output. */
    tokens: z.number().int().positive().max(1e15).optional(),
    /** The share of the limit from which on it warns. Absent: 0.8. */
    warnAt: z.number().positive().max(1).optional(),
  })
  .strict()
  .refine(({ usd, tokens }) => (usd === undefined) !== (tokens === undefined), {
    message: 'give a limit, either in `usd` or in `tokens`',
    path: ['usd'],
  })
  .openapi('BudgetEntry');

const BudgetUse = z.object({
  /** Null where the budget does not tell projects apart. */
  projectId: Id.nullable(),
  /** Null where there is none, or where the project is gone. */
  projectName: z.string().nullable(),
  /** Null where the budget does not tell clients apart. */
  client: z.string().nullable(),
  /** In the unit of the limit; what is not known is not in it. */
  used: z.number(),
  level: z.enum(['ok', 'warn', 'over']),
  /** Models whose price is unknown: what they cost is not in `used`. */
  unpriced: z.array(z.string()),
  /** Calls whose provider did not say what they used. */
  uncounted: z.number().int(),
});

export const BudgetView = z
  .object({
    name: z.string(),
    from: Place,
    /** Set in the page as well, where it has no effect: the configuration file decides. */
    alsoInPage: z.boolean(),
    entry: BudgetEntry,
    unit: z.enum(['usd', 'tokens']),
    limit: z.number(),
    /** When it begins anew; null: never. */
    endsAt: z.string().nullable(),
    /** Who used how much of it, most of all first; of many, the first hundred. */
    uses: z.array(BudgetUse),
  })
  .openapi('Budget');

export const BudgetList = z.object({ ...Places, budgets: z.array(BudgetView) }).openapi('BudgetList');

/** With a project: what counts for the messages that are sent in it. */
export const BudgetQuery = z.object({ project: Id.optional() });
