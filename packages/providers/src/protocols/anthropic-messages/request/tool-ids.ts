import { sha256 } from '@bough/core';

const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Gives every call of a request an id that the API accepts and that no other call of the request has. An id that
 * already qualifies stays. The new id depends only on the old one and the node, so a longer history never changes it.
 */
export class ToolIds {
  readonly #taken = new Set<string>();
  /** The wire id of each id that is waiting for its result; a later call with the same id replaces it. */
  readonly #open = new Map<string, string>();

  assign(id: string, nodeId: string): string {
    const wireId = PLAIN.test(id) && !this.#taken.has(id) ? id : `toolu_${sha256(`${nodeId}\n${id}`).slice(0, 40)}`;
    this.#taken.add(wireId);
    this.#open.set(id, wireId);
    return wireId;
  }

  /** The wire id of the call that a result answers. Each call is answered once. */
  answer(id: string): string | null {
    const wireId = this.#open.get(id);
    this.#open.delete(id);
    return wireId ?? null;
  }
}

const NAME_LIMIT = 128;

/** A tool name from another provider's history, in characters that the API accepts. */
export function plainName(name: string): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, NAME_LIMIT);
  return plain === '' ? 'tool' : plain;
}
