import type { StreamError } from '@bough/core';
import type { ClientBody } from '../dialect.ts';
import type { RepairedBody, RepairInput } from '../repair/index.ts';
import { plainestBody, repairBody, replyFirm, requestFirms } from '../repair/index.ts';
import type { StoredReply } from '../repair/verbatim.ts';

/** Mends what clients send. */
export interface Repairer {
  /** What must come back exactly, up to each message. `known`: the same of the body that it was read on from. */
  readonly requestFirms: (body: ClientBody, known: readonly string[] | null) => readonly string[];
  /** The same, up to the reply. */
  readonly replyFirm: (before: string, reply: StoredReply) => string;
  /** Null: it leaves as it came. */
  readonly repairBody: (input: RepairInput) => RepairedBody | null;
  /** After the provider refused it: what is tried once more, or null. */
  readonly retryBody: (
    input: Pick<RepairInput, 'body' | 'provider' | 'headers'>,
    error: StreamError,
  ) => RepairedBody | null;
}

/** Refusals that may be about the history; some vendors say no more than that the request is invalid. */
const MENDABLE: ReadonlySet<StreamError['code']> = new Set(['history_rejected', 'invalid_request']);

export const repairer: Repairer = {
  requestFirms,
  replyFirm,
  repairBody,
  retryBody: (input, { code }) => (MENDABLE.has(code) ? plainestBody(input) : null),
};

/** What cannot be mended leaves as it came: a mistake here must not cost the client its request, nor its record. */
export function harmless(own: Repairer): Repairer {
  const orElse = <T>(otherwise: T, work: () => T): T => {
    try {
      return work();
    } catch {
      return otherwise;
    }
  };
  return {
    requestFirms: (body, known) => orElse([], () => own.requestFirms(body, known)),
    replyFirm: (before, reply) => orElse('', () => own.replyFirm(before, reply)),
    repairBody: (input) => orElse(null, () => own.repairBody(input)),
    retryBody: (input, error) => orElse(null, () => own.retryBody(input, error)),
  };
}
