import { GrowingText } from './growing-text.ts';

/** How items of one kind continue each other. */
export interface Growth<Item> {
  /** Whether the next item does nothing but add to the text of the last one. */
  readonly continues: (last: Item, next: Item) => boolean;
  readonly textOf: (item: Item) => string;
  readonly withText: (item: Item, text: string) => Item;
}

/**
 * Items that arrived together. One that continues the last is merged into it: the consumer then does its work once for
 * all of them, and shows the same characters at the same moment.
 */
export class JoinedRun<Item> {
  readonly #growth: Growth<Item>;
  readonly #items: Item[] = [];
  /** The text of the last item, once something has been added to it. */
  #text: GrowingText | null = null;

  constructor(growth: Growth<Item>) {
    this.#growth = growth;
  }

  add(item: Item): void {
    const { continues, textOf } = this.#growth;
    const last = this.#items.at(-1);
    if (last !== undefined && continues(last, item)) {
      this.#text ??= new GrowingText(textOf(last));
      this.#text.add(textOf(item));
      return;
    }
    this.#seal();
    this.#items.push(item);
  }

  list(): readonly Item[] {
    this.#seal();
    return this.#items;
  }

  #seal(): void {
    const last = this.#items.at(-1);
    if (this.#text === null || last === undefined) return;
    this.#items[this.#items.length - 1] = this.#growth.withText(last, this.#text.toString());
    this.#text = null;
  }
}
