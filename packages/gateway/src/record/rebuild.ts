import type { Call, CallId, NodeId, Piece, ProjectId, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Store } from '@bough/store';
import { KEY_PREFIX } from './exchange.ts';

type Readable = Pick<Store, 'callsOfTurn' | 'readContext' | 'nodesOfTurn'>;
type Range = Extract<Piece, { call: CallId }>;
type Text = Extract<Piece, { node: NodeId }>;

/**
 * A body of a recorded call, to the byte: what came from the client, or what was sent. Null if a part of it is gone,
 * because somebody deleted the messages that it is stored with.
 *
 * Each body refers to the one before, so that the oldest text of a long conversation is a thousand steps away: no
 * recursion, and what is read is read once.
 */
export async function rebuildBody(
  store: Readable,
  project: ProjectId,
  call: Call,
  of: 'came' | 'sent',
): Promise<string | null> {
  const stored = new StoredTexts(store, project, call);
  const texts: string[] = [];
  const open: (Range | Text)[] = [{ call: call.id, of, from: 0, to: Number.POSITIVE_INFINITY }];
  try {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if ('node' in next) {
        const text = await stored.text(next);
        if (text === null) return null;
        texts.push(text);
      } else {
        const pieces = await stored.pieces(next);
        if (pieces === null) return null;
        open.push(...within(pieces, next.from, next.to).toReversed());
      }
    }
  } catch (error) {
    if (error instanceof UnknownIdError) return null;
    throw error;
  }
  return texts.join('');
}

/** Reads the path of a call once, and what lies beside it when it is asked for. */
class StoredTexts {
  readonly #store: Readable;
  readonly #project: ProjectId;
  readonly #call: Call;
  readonly #calls = new Map<CallId, Call>();
  readonly #texts = new Map<NodeId, ReadonlyMap<string, string>>();
  readonly #readTurns = new Set<TurnId>();
  #hasRead = false;

  constructor(store: Readable, project: ProjectId, call: Call) {
    this.#store = store;
    this.#project = project;
    this.#call = call;
    this.#calls.set(call.id, call);
  }

  async pieces({ call: id, of, turn }: Range): Promise<readonly Piece[] | null> {
    if (!this.#calls.has(id) && turn !== undefined) await this.#readTurn(turn);
    const exchange = this.#calls.get(id)?.exchange;
    if (exchange === undefined) return null;
    return of === 'came' ? exchange.came : (exchange.sent ?? exchange.came);
  }

  async text({ node, key }: Text): Promise<string | null> {
    if (!this.#hasRead) {
      this.#hasRead = true;
      const newest = this.#call.nodeId ?? (await this.#lastOfTurn());
      if (newest !== null) await this.#readPath(newest);
    }
    if (!this.#texts.has(node)) await this.#readPath(node);
    return this.#texts.get(node)?.get(key) ?? null;
  }

  async #lastOfTurn(): Promise<NodeId | null> {
    return (await this.#store.nodesOfTurn(this.#project, this.#call.turnId)).at(-1)?.id ?? null;
  }

  async #readPath(tip: NodeId): Promise<void> {
    const { nodes, renderings } = await this.#store.readContext(this.#project, tip, KEY_PREFIX);
    for (const { id } of nodes) this.#texts.set(id, renderings.get(id) ?? new Map());
  }

  async #readTurn(turn: TurnId): Promise<void> {
    if (this.#readTurns.has(turn)) return;
    this.#readTurns.add(turn);
    for (const call of await this.#store.callsOfTurn(this.#project, turn)) this.#calls.set(call.id, call);
  }
}

/** Those segments of a body that lie in [from, to). */
function within(pieces: readonly Piece[], from: number, to: number): readonly Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const piece of pieces) {
    const length = 'node' in piece ? 1 : piece.to - piece.from;
    const first = Math.max(from, at);
    const last = Math.min(to, at + length);
    if (first < last)
      found.push('node' in piece ? piece : { ...piece, from: piece.from + first - at, to: piece.from + last - at });
    at += length;
  }
  return found;
}
