import type { BranchId, ProjectId } from '@bough/core';
import type { StoredBody } from './exchange.ts';

/** What is known of the newest stored call of a history. */
export interface Remembered {
  /** What came and, where it differs, what was sent. */
  readonly bodies: readonly StoredBody[];
  /** What must come back exactly, up to its reply; null if it is not known. */
  readonly firm: string | null;
  /** Where it was recorded: what comes next is likely to be recorded there, too. */
  readonly at: { readonly project: ProjectId; readonly branch: BranchId };
}

/** Histories that are remembered, and segments in them all: a few megabytes. */
const MOST = 2_000;
const MOST_SEGMENTS = 200_000;

/**
 * The newest calls of the conversations that pass through this process, by the trails that they answered. It saves
 * bytes and time, and nothing depends on it: what is forgotten is stored once more.
 */
export class Memory {
  readonly #histories = new Map<string, Remembered>();
  #segments = 0;

  /** Of the longest of the histories that end with each of these. */
  find(said: readonly { readonly trail: string }[]): (Remembered & { readonly trail: string }) | null {
    for (let at = said.length - 1; at >= 0; at -= 1) {
      const { trail = '' } = said[at] ?? {};
      const found = this.#histories.get(trail);
      if (found !== undefined) return { ...found, trail };
    }
    return null;
  }

  keep(trail: string, remembered: Remembered): void {
    this.#forget(trail);
    this.#histories.set(trail, remembered);
    this.#segments += sizeOf(remembered);
    for (const oldest of this.#histories.keys()) {
      if (oldest === trail || (this.#histories.size <= MOST && this.#segments <= MOST_SEGMENTS)) return;
      this.#forget(oldest);
    }
  }

  #forget(trail: string): void {
    const found = this.#histories.get(trail);
    if (found === undefined) return;
    this.#segments -= sizeOf(found);
    this.#histories.delete(trail);
  }
}

const sizeOf = ({ bodies }: Remembered): number => bodies.reduce((sum, { segments }) => sum + segments.length, 0);

/**
 * The trails of replies by the ids that the provider gave them: with OpenAI Responses a request may name one, and bring
 * nothing but what comes after it.
 */
export class Continued {
  readonly #trails = new Map<string, string>();

  find(response: string): string | null {
    return this.#trails.get(response) ?? null;
  }

  keep(response: string, trail: string): void {
    this.#trails.set(response, trail);
    for (const oldest of this.#trails.keys()) {
      if (this.#trails.size <= MOST) return;
      this.#trails.delete(oldest);
    }
  }
}
