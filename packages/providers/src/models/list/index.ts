import { sha256 } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import { deploymentKey } from '../../deployment.ts';
import { askJson } from '../../transport/ask/index.ts';
import type { ModelFacts } from '../facts.ts';
import type { ModelList } from './find.ts';
import { listUrl, readPage } from './read.ts';

export type { ModelList } from './find.ts';

/** Who is asked, and with what. */
export interface ListOwner {
  readonly deployment: Deployment;
  readonly key: string | null;
  readonly fetch: typeof globalThis.fetch;
}

/** What came of asking. A list that was read stays in force if asking again fails. */
export interface ListAnswer {
  readonly list: ModelList | null;
  /** Why it could not be read the last time, in words for people; null if it was. */
  readonly problem: string | null;
}

/** The vendors' own lists of models, kept for as long as the process runs. */
export interface ModelLists {
  readonly of: (owner: ListOwner) => OwnList;
}

/** The list that one vendor shows to one account. */
export interface OwnList {
  /** What is known now, without asking anybody. */
  readonly now: () => ModelList | null;
  /** The list, asked for if there is none yet. Takes as long as the time limit at most, and never rejects. */
  readonly ask: (wishes?: ListWishes) => Promise<ListAnswer>;
}

export interface ListWishes {
  /** Asks again if the list is older: a model may have come out since. */
  readonly notOlderThanMs?: number;
  /** Asks again if the last attempt failed this long ago. */
  readonly retryMs?: number;
}

export interface ListOptions {
  readonly now?: () => number;
  /** How long a whole list may take. */
  readonly timeoutMs?: number;
  /** After this time a list is asked for again, behind the back of whoever needs it. */
  readonly expiryMs?: number;
  /** How long a failure counts: a vendor that does not answer must not hold up every message. */
  readonly retryMs?: number;
}

interface Kept extends ListAnswer {
  readonly at: number;
}

const MAX_PAGES = 20;

export function createModelLists(options: ListOptions = {}): ModelLists {
  const { now = Date.now, timeoutMs = 4_000, expiryMs = 6 * 3_600_000, retryMs = 15 * 60_000 } = options;
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<ListAnswer>>();

  const refresh = (owner: ListOwner, id: string): Promise<ListAnswer> => {
    const running = asking.get(id);
    if (running !== undefined) return running;
    const started = readList(owner, AbortSignal.timeout(timeoutMs)).then((answer) => {
      const list = answer.list ?? kept.get(id)?.list ?? null;
      const result = { ...answer, list, at: now() };
      kept.set(id, result);
      asking.delete(id);
      return result;
    });
    asking.set(id, started);
    return started;
  };

  const ask = async (owner: ListOwner, id: string, wishes: ListWishes): Promise<ListAnswer> => {
    const { notOlderThanMs = Number.POSITIVE_INFINITY, retryMs: soonest = retryMs } = wishes;
    const known = kept.get(id);
    if (known === undefined) return refresh(owner, id);
    const age = now() - known.at;
    if (known.problem !== null) return age < soonest ? known : refresh(owner, id);
    if (age >= notOlderThanMs) return refresh(owner, id);
    // `refresh` never rejects.
    if (age >= expiryMs) void refresh(owner, id);
    return known;
  };
  return {
    of: (owner) => {
      const id = idOf(owner);
      return { now: () => kept.get(id)?.list ?? null, ask: (wishes = {}) => ask(owner, id, wishes) };
    },
  };
}

/** Accounts see different lists; the key itself is kept nowhere. */
function idOf({ deployment, key }: Pick<ListOwner, 'deployment' | 'key'>): string {
  return `${deploymentKey(deployment)} ${key === null ? '' : sha256(key)}`;
}

async function readList({ deployment, key, fetch }: ListOwner, signal: AbortSignal): Promise<ListAnswer> {
  const { protocol, baseUrl } = deployment;
  const models = new Map<string, ModelFacts>();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await askJson({ url: listUrl(protocol, baseUrl, after), deployment, key, fetch, signal });
    if (answer.type === 'none') return { list: null, problem: answer.reason };
    const read = readPage(protocol, answer.value);
    if (read === null)
      return { list: null, problem: `${new URL(baseUrl).host} answered with something else than a list.` };
    for (const [id, facts] of read.models) models.set(id, facts);
    // An empty list proves nothing: some servers answer with one to everybody.
    if (read.next === null) return { list: { models, complete: models.size > 0 }, problem: null };
    after = read.next;
  }
  return { list: { models, complete: false }, problem: null };
}
