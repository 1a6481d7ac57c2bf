import { z } from '@hono/zod-openapi';
import { Id, LIMITS, Ref } from './common.ts';

export const ImportLimits = z
  .object({
    /** The size of the largest file that may be sent. */
    maxBytes: z.number(),
  })
  .openapi('ImportLimits');

export const ImportQuery = z.object({
  /** The file's own name: conversations without a title and an id get theirs from it. */
  name: Ref.optional(),
  /** What becomes of a malformed record: the import ends with nothing written, or goes on without it. */
  onError: z.enum(['skip', 'stop']).optional(),
});

export const ImportReportView = z
  .object({
    /** How many projects are new, were there and got what they lacked, or were there already. */
    outcomes: z.object({ new: z.number(), grown: z.number(), unchanged: z.number() }),
    /** Those that are new first, at most a thousand. */
    projects: z.array(
      z.object({
        id: Id,
        name: z.string(),
        format: z.string(),
        /** Whether it is new, was there and got what it lacked, or was there already. */
        outcome: z.string(),
        addedNodes: z.number(),
      }),
    ),
    nodes: z.number(),
    branches: z.number(),
    turns: z.number(),
    /** Replies whose reasoning can be shown, but never sent back as reasoning. */
    unreplayable: z.number(),
    unsigned: z.number(),
    /** Of agents' sessions: how many replies get their reasoning back, and how many do not, by reason. */
    reasoning: z.object({ goesBack: z.number(), stays: z.record(z.string(), z.number()) }),
    /** What Bough does not support, by kind. */
    leftOut: z.record(z.string(), z.number()),
    /** What another program keeps and Bough has no place for, by kind: it is kept beside the projects. */
    beside: z.record(z.string(), z.number()),
    /** Records that were skipped, at most a thousand. */
    problems: z.array(z.object({ where: z.string(), message: z.string() })),
    /** Files of an export that became part of its messages. */
    files: z.number(),
    /** Files that messages refer to and that did not come along, with their conversation and the reason. */
    missingFiles: z.array(z.object({ where: z.string(), name: z.string().nullable(), reason: z.string() })),
  })
  .openapi('ImportReport');

/** What the answer to an import consists of, line by line; the last one is a report or an error. */
export const ImportLine = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('progress'),
      /** Everything is read once before anything is written, unless malformed records are skipped. */
      pass: z.enum(['checking', 'writing']),
      conversations: z.number(),
    }),
    z.object({ type: z.literal('report'), report: ImportReportView }),
    z.object({ type: z.literal('error'), code: z.string(), detail: z.string() }),
    z.object({ type: z.literal('heartbeat') }),
  ])
  .openapi('ImportLine');

/** What a dataset holds; what is absent is as `bough dataset` has it. */
export const DatasetQuery = z.object({
  /** Of one project; of all of them if absent. */
  project: Id.optional(),
  /** What a record is: a conversation, a reply, or two replies of which one was judged better. */
  shape: z.enum(['messages', 'prompt-completion', 'sharegpt', 'preference']).optional(),
  format: z.enum(['jsonl', 'parquet']).optional(),
  /** In a field, between `<think>` tags, or none. */
  reasoning: z.enum(['none', 'field', 'think']).optional(),
  tools: z.enum(['true', 'false']).optional(),
  /** Whether the files of messages are put beside the data. */
  files: z.enum(['true', 'false']).optional(),
  /** Private notes and the reasons of verdicts, in the list of records. */
  notes: z.enum(['true', 'false']).optional(),
  /** Only replies with a star. */
  starred: z.enum(['true', 'false']).optional(),
  /** Only replies with one of these verdicts, separated by commas. */
  verdict: z.string().max(LIMITS.nameCharacters).optional(),
  /** Only verdicts of blind comparisons. */
  blind: z.enum(['true', 'false']).optional(),
  /** Only replies of these models, separated by commas. */
  model: z.string().max(LIMITS.fileNameCharacters).optional(),
  /** Only replies of these days (UTC), the last one included. */
  since: z.string().max(40).optional(),
  until: z.string().max(40).optional(),
});

export const DatasetCountView = z
  .object({
    records: z.number(),
    leftOut: z.object({
      /** What would have been records, by the reason why they are none. */
      records: z.record(z.string(), z.number()),
      /** Pieces of messages, each once, by the reason. */
      parts: z.record(z.string(), z.number()),
    }),
  })
  .openapi('DatasetCount');

export const ExportQuery = z.object({
  /** Everything as a ZIP file that can be imported, or one branch as a document. */
  format: z.enum(['bundle', 'markdown', 'html']).optional(),
  /** The branch of a document; `main` where none is named. */
  ref: Ref.optional(),
  /** How a document shows reasoning; folded where nothing is said. */
  reasoning: z.enum(['included', 'folded', 'none']).optional(),
});
