import { ApiError, turnLines } from '@bough/api/client';
import type { StreamLine } from '@bough/core';
import { client } from './client.ts';
import type { LiveTurn } from '../view/live-turn.ts';
import { applyLine, startLiveTurn } from '../view/live-turn.ts';
import { refreshProject } from './queries.ts';

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

  get(turnId: string): LiveTurn | null {
    return this.#entries.get(turnId)?.turn ?? null;
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
          named?.(line);
          void refreshProject(projectId);
        }
        if (turnId !== null) this.#update(turnId, (turn) => applyLine(turn, line, Date.now()));
      }
    } catch (error) {
      const problem = error instanceof ApiError ? error.message : String(error);
      if (turnId === null) throw error;
      this.#update(turnId, (turn) => ({ ...turn, problem }));
    } finally {
      await refreshProject(projectId);
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
