import { z } from '@hono/zod-openapi';
import { Id } from './common.ts';

const Day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, 'write a day as 2026-11-18')
  .refine(isInCalendar, 'there is no such day');

/** The 30th of February is read as a day in March, the 13th month as none. */
function isInCalendar(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

export const COST_GROUPS = ['day', 'project', 'client'] as const;

export const CostsQuery = z.object({
  /** The first day that counts (UTC); absent: all days. */
  from: Day.optional(),
  /** The last day that counts. */
  until: Day.optional(),
  project: Id.optional(),
  /** What to tell apart besides models, with commas between: `day`, `project`, `client`. */
  by: z
    .string()
    .regex(/^(?:day|project|client)(?:,(?:day|project|client))*$/, 'use day, project and client, with commas between')
    .optional(),
});

/** What one model was used for, as far as anybody said. */
export const CostRow = z
  .object({
    /** Null where days, projects or clients are not told apart. */
    day: z.string().nullable(),
    projectId: Id.nullable(),
    /** Null where there is none, or where the project is gone. */
    projectName: z.string().nullable(),
    client: z.string().nullable(),
    provider: z.string(),
    model: z.string(),
    calls: z.number(),
    /** Everything that was sent: what was read from a cache and written to one included. */
    inputTokens: z.number(),
    cachedInputTokens: z.number(),
    cacheWriteTokens: z.number(),
    /** Everything that was generated, reasoning included. */
    outputTokens: z.number(),
    reasoningTokens: z.number(),
    /** In US dollars, without the calls in `unpriced` and `uncounted`; null if no call has a known cost. */
    cost: z.number().nullable(),
    /** Calls whose price is unknown. */
    unpriced: z.number(),
    /** Calls whose provider did not say what they used. */
    uncounted: z.number(),
  })
  .openapi('CostRow');

export const CostsView = z.object({ rows: z.array(CostRow) }).openapi('Costs');

/** What a call cost, part by part, in US dollars. The parts without `missed` and `saved` add up to its cost. */
export const CallMoney = z
  .object({
    fresh: z.number(),
    read: z.number(),
    written: z.number(),
    answer: z.number(),
    reasoning: z.number(),
    /** Other models that the provider asked. */
    others: z.number(),
    /** What the cache saved, less what writing to it cost more than plain input. */
    saved: z.number(),
    /** Tokens that the provider had been sent before and read anew; null where nothing can be said. */
    missedTokens: z.number().nullable(),
    /** What that cost. */
    missed: z.number().nullable(),
    /** Why, where it is worth telling: in the provider's word, or `expired`, or `unexplained`. */
    missedBecause: z.string().nullable(),
  })
  .openapi('CallMoney');

/** What the next request will use and cost. Costs are in US dollars, and null where the price is unknown. */
export const EstimateView = z
  .object({
    inputTokens: z.number(),
    /** Tokens that the provider's cache probably still has. */
    cachedTokens: z.number(),
    /** Tokens that will be written to the cache, at its price. */
    writtenTokens: z.number(),
    /** Tokens that are read at the plain price. */
    freshTokens: z.number(),
    cachedCost: z.number().nullable(),
    writtenCost: z.number().nullable(),
    freshCost: z.number().nullable(),
    inputCost: z.number().nullable(),
    /** With a reply as long as the model's last one here; null where there is none. */
    likeLast: z.object({ outputTokens: z.number(), cost: z.number().nullable() }).nullable(),
    /** With a reply as long as it may be. */
    mostCost: z.number().nullable(),
    /** When the price was read, or where it comes from; null without one. */
    priceAsOf: z.string().nullable(),
  })
  .openapi('Estimate');
