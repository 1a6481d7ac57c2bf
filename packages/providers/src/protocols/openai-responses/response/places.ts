import type { WireItem } from '../wire.ts';
import { numberOf } from '../wire.ts';

/**
 * Which output item an event is about. By `output_index`, never by item id: a proxy may change an item's id with every
 * event. If a server counts wrongly and opens a second item at the index of a finished one, that item gets a new place,
 * so that no item swallows another.
 */
export class Places {
  readonly #moved = new Map<number, number>();
  readonly #finished = new Set<number>();
  #newest = -1;

  /** The place of an item that begins. */
  open(event: WireItem): number {
    const index = numberOf(event['output_index']) ?? this.#newest + 1;
    const place = this.#finished.has(index) ? this.#newest + 1 : index;
    if (place !== index) this.#moved.set(index, place);
    return this.#reached(place);
  }

  /** The place of an item that continues or ends; an event that names none is about the newest. */
  find(event: WireItem): number {
    const index = numberOf(event['output_index']) ?? Math.max(0, this.#newest);
    return this.#reached(this.#moved.get(index) ?? index);
  }

  finish(place: number): void {
    this.#finished.add(this.#reached(place));
  }

  isFinished(place: number): boolean {
    return this.#finished.has(place);
  }

  #reached(place: number): number {
    this.#newest = Math.max(this.#newest, place);
    return place;
  }
}
