import { ApiError, turnLines } from '@bough/api/client';
import type { StreamLine } from '@bough/core';
import { client } from './client.ts';
import type { LiveTurn } from '../view/live-turn.ts';
import { applyLine, startLiveTurn } from '../view/live-turn.ts';
import { refreshTurn } from './refresh.ts';

type Listener = () => void;
/** The first line of every turn: which turn it is, and on which branch. */
type TurnLine = Extract<StreamLine, { type: 'turn' }>;
const TELL_EVERY_MS = 40;
interface Entry {
  turn: LiveTurn;
  readonly abort: AbortController;
}

/**
 * The running turns as this page sees them: fed by their streams, which survive a lost connection, a reload and a
 * restarted server. Changes are announced at most twenty-five times a second: at two hundred lines a second, announcing
 * each one would keep the page busy with nothing else.
 */
class LiveTurns {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #changed = new Set<string>();
  readonly #expected = new Set<Promise<void>>();

  get(turnId: string): LiveTurn | null {
    return this.#entries.get(turnId)?.turn ?? null;
  }

  /** A turn is being started from here: what is heard of turns meanwhile may be about it. */
  expect(started: Promise<unknown>): void {
    const settled = started.then(
      () => undefined,
      () => undefined,
    );
    this.#expected.add(settled);
    void settled.then(() => this.#expected.delete(settled));
  }

  /** Resolves once it is known which turns were started from here. */
  async expected(): Promise<void> {
    await Promise.all(this.#expected);
  }

  /** Whether this page follows the turn, or did a moment ago, and so reads by itself what it adds. */
  covers(turnId: string): boolean {
    return this.#entries.has(turnId);
  }

  subscribe(turnId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(turnId) ?? new Set();
    this.#listeners.set(turnId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  /** Follows a turn; a second call for the same one does nothing. */
  follow(projectId: string, turnId: string): void {
    if (this.#entries.has(turnId)) return;
    void this.#read(projectId, turnId, { turnId });
  }

  /** Resolves when the turn has ended and the history has it. */
  async ended(projectId: string, turnId: string): Promise<void> {
    this.follow(projectId, turnId);
    await new Promise<void>((resolve) => {
      const stop = this.subscribe(turnId, () => {
        if (this.#entries.has(turnId)) return;
        stop();
        resolve();
      });
    });
  }

  /** Takes over the stream of a turn that was just started; resolves with its first line. */
  async adopt(projectId: string, response: Response): Promise<TurnLine> {
    return new Promise((resolve, reject) => {
      this.#read(projectId, null, { response }, resolve).catch(reject);
    });
  }

  async #read(
    projectId: string,
    known: string | null,
    start: { readonly response: Response } | { readonly turnId: string },
    named?: (line: TurnLine) => void,
  ): Promise<void> {
    let turnId = known;
    let branch: string | null = null;
    const abort = new AbortController();
    if (turnId !== null) this.#entries.set(turnId, { turn: startLiveTurn(turnId), abort });
    try {
      const connection = (connected: boolean): void => {
        if (turnId !== null) this.#update(turnId, (turn) => ({ ...turn, connected }));
      };
      for await (const line of turnLines(
        { client, projectId, signal: abort.signal, onConnection: connection },
        start,
      )) {
        if (line.type === 'turn') {
          turnId = line.turnId;
          if (!this.#entries.has(turnId)) this.#entries.set(turnId, { turn: startLiveTurn(turnId), abort });
          branch = line.branch;
          // Once the branch is known to be running: a message that was queued must not be sent into the running turn.
          const started = line;
          void readTurn(projectId, branch, true).finally(() => named?.(started));
        }
        if (turnId !== null) this.#update(turnId, (turn) => applyLine(turn, line, Date.now()));
      }
    } catch (error) {
      const problem = error instanceof ApiError ? error.message : String(error);
      if (turnId === null) throw error;
      this.#update(turnId, (turn) => ({ ...turn, problem }));
    } finally {
      if (branch !== null) await readTurn(projectId, branch, false);
      // The history holds it now. The live copy is removed a moment later, so that there is never a frame without
      // either.
      const ended = turnId;
      if (ended !== null) setTimeout(() => this.#forget(ended), 400);
    }
  }

  #update(turnId: string, change: (turn: LiveTurn) => LiveTurn): void {
    const entry = this.#entries.get(turnId);
    if (entry === undefined) return;
    entry.turn = change(entry.turn);
    this.#tell(turnId);
  }

  #forget(turnId: string): void {
    this.#entries.delete(turnId);
    this.#tell(turnId);
  }

  #tell(turnId: string): void {
    this.#changed.add(turnId);
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const changed = [...this.#changed];
      this.#changed.clear();
      for (const id of changed) for (const listener of this.#listeners.get(id) ?? []) listener();
    }, TELL_EVERY_MS);
  }
}

export const liveTurns = new LiveTurns();

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Reads what a turn added, however long the server is away: a server that is stopped ends its turns and is gone, and
 * until it is back the live copy is all that there is of the reply.
 */
async function readTurn(projectId: string, branch: string, isBeginning: boolean): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await refreshTurn(projectId, branch, isBeginning);
    } catch (error) {
      console.debug('A reply could not be read from the history and is tried again.', error);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
