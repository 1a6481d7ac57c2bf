import type { World } from '../../world.ts';
import type { Refusal } from './errors.ts';
import { isOwnCompaction } from './compaction.ts';
import { isReduced } from './hosted.ts';
import { ANY_MODEL, followerOf, recallItem, recallSaid } from './memory.ts';
import { judgePairs } from './pairs.ts';
import type { Sealed } from './seal.ts';
import { unseal } from './seal.ts';
import type { Json } from './wire.ts';
import { isWritten, kindOf, text } from './wire.ts';

export interface HistoryFinding extends Refusal {
  readonly rule: string;
}

export interface History {
  /** Everything that the model would read: what the provider holds, then what the request adds. */
  readonly items: readonly Json[];
  /** How many of them the provider holds already. */
  readonly held: number;
  readonly model: string;
  /** Whether the request asks for its items to be kept. */
  readonly stores: boolean;
  /** Whose reasoning the model can decrypt. */
  readonly reads: 'vendor' | 'own' | 'nobody';
}

/** The first thing that is wrong with a history, as the provider would put it, or null. */
export function judgeHistory(history: History, world: World): HistoryFinding | null {
  const seen = new Set<string>();
  for (const [at, item] of history.items.entries()) {
    const finding =
      at < history.held
        ? null
        : (judgeReference(item, history, world) ??
          judgeDuplicate(item, seen) ??
          judgeCompaction(item, world) ??
          judgeReasoning(item, at, history, world) ??
          judgeWritten(item, seen, world));
    if (finding !== null) return finding;
    if (text(item['id']) !== '') seen.add(text(item['id']));
  }
  const pairs = judgePairs(history.items, world);
  return pairs === null ? null : wrong(pairs.rule, pairs.message);
}

function judgeReference(item: Json, { stores }: History, world: World): HistoryFinding | null {
  const id = text(item['id']);
  const given = recallItem(world, id);
  const bare = kindOf(item) === 'reasoning' && text(item['encrypted_content']) === '' && id !== '';
  const reduced = !stores && given !== null && isReduced(item, given.item);
  if (kindOf(item) !== 'item_reference' && !bare && !reduced) return null;
  if (stores && given?.stored === true) return null;
  const hint = stores
    ? ''
    : ' Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.';
  return { ...wrong('SIM-OAR-REFERENCE', `Item with id '${id}' not found.${hint}`), status: 404 };
}

function judgeDuplicate(item: Json, seen: ReadonlySet<string>): HistoryFinding | null {
  const id = text(item['id']);
  // The result of a local shell call carries the id of the call.
  if (!seen.has(id) || kindOf(item) === 'local_shell_call_output') return null;
  return wrong(
    'SIM-OAR-DUPLICATE',
    `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
  );
}

function judgeCompaction(item: Json, world: World): HistoryFinding | null {
  return kindOf(item) !== 'compaction' || isOwnCompaction(item, world) ? null : unverified(item);
}

/** Encrypted content that this simulator did not make, or that was altered or moved. */
function unverified(item: Json): HistoryFinding {
  const id = text(item['id']);
  const name = id === '' ? `${text(item['encrypted_content']).slice(0, 8)}…` : `for item ${id}`;
  return {
    ...wrong(
      'SIM-OAR-SEAL',
      `The encrypted content ${name} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    ),
    code: 'invalid_encrypted_content',
  };
}

function judgeReasoning(item: Json, at: number, history: History, world: World): HistoryFinding | null {
  if (kindOf(item) !== 'reasoning') return null;
  const id = text(item['id']);
  const token = text(item['encrypted_content']);
  const sealed = token === '' ? null : unseal(world, token);
  if (history.reads === 'nobody') {
    return wrong(
      'SIM-OAR-REASONS',
      'Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.',
    );
  }
  const isForeign = history.reads === 'own' && sealed?.model !== history.model;
  if (token !== '' && (sealed === null || isForeign || (id !== '' && id !== sealed.id))) {
    return unverified(item);
  }
  // The API checks this only for items with ids.
  if (id === '' || follows(requiredBy(id, sealed, world), nextWritten(history.items, at), history.stores)) return null;
  return wrong(
    'SIM-OAR-FOLLOWER',
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
  );
}

interface Required {
  readonly id: string;
  readonly kind: string;
}

/** What must come after it, according to its seal or the simulator's memory. */
function requiredBy(id: string, sealed: Sealed | null, world: World): Required {
  if (sealed !== null) return { id: sealed.follower, kind: sealed.followerKind };
  const follower = recallItem(world, id)?.follower ?? {};
  return { id: text(follower['id']), kind: kindOf(follower) };
}

/** The item after a run of reasoning, if the model wrote it. */
function nextWritten(items: readonly Json[], at: number): Json | null {
  const next = followerOf(items, at);
  return next !== null && isWritten(next) ? next : null;
}

function follows(required: Required, next: Json | null, stores: boolean): boolean {
  if (next === null) return false;
  const id = text(next['id']);
  if (id !== '') return id === required.id;
  if (kindOf(next) !== required.kind) return false;
  // A stored item is looked up by its id; a message without one is unknown there.
  return !stores || required.kind !== 'message';
}

function judgeWritten(item: Json, seen: ReadonlySet<string>, world: World): HistoryFinding | null {
  const id = text(item['id']);
  if (id === '' || kindOf(item) === 'reasoning') return null;
  const missing = recallItem(world, id)?.reasoning.find((reasoning) => !seen.has(reasoning));
  if (missing === undefined) return null;
  return wrong(
    'SIM-OAR-ORPHAN',
    kindOf(item) === 'message'
      ? `Item '${id}' of type 'message' was provided without its required preceding item of type 'reasoning'.`
      : `Item '${id}' of type '${kindOf(item)}' was provided without its required 'reasoning' item: '${missing}'.`,
  );
}

interface Loss {
  readonly detail: string;
  readonly withheld?: readonly string[];
}

/** Replies that came back with less than they had: the API answers, but the model has forgotten why it said this. */
export function lossesOf({ items, held, model, reads }: History, world: World): readonly Loss[] {
  if (reads === 'nobody') return [];
  const present = new Set(
    items
      .filter((item) => kindOf(item) === 'reasoning')
      .map((item) => text(item['id']) || unseal(world, text(item['encrypted_content']))?.id),
  );
  return items.slice(held).flatMap((item) => {
    const times =
      isWritten(item) && kindOf(item) !== 'reasoning'
        ? recallSaid(world, item, reads === 'own' ? model : ANY_MODEL)
        : [];
    if (times.length === 0) return [];
    const reasoned = times.filter(({ reasoning }) => reasoning.every((id) => present.has(id)));
    if (reasoned.length === 0) {
      const missing = times.flatMap(({ reasoning }) => reasoning).filter((id) => !present.has(id));
      const withheld = missing.map((id) => text(recallItem(world, id)?.item['encrypted_content']));
      return [{ detail: `The reasoning behind ${nameOf(item)} did not come back.`, withheld }];
    }
    const lost = ['phase', 'namespace', 'caller', 'async'].filter((key) =>
      reasoned.every((given) => JSON.stringify(given.item[key]) !== JSON.stringify(item[key])),
    );
    return lost.map((key) => ({ detail: `The ${key} of ${nameOf(item)} did not come back.` }));
  });
}

function nameOf(item: Json): string {
  return kindOf(item).endsWith('_call') ? `the call ${text(item['call_id'])}` : 'a message';
}

function wrong(rule: string, message: string): HistoryFinding {
  return { rule, status: 400, message, param: 'input', code: null };
}
