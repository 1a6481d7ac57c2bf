/** How long a request waits for the end of the one before: longer, and it is recorded beside it. */
const PATIENCE_MS = 2_000;

interface Ending {
  /** The reply is over, or nobody listens to it any more: it is going to be stored. */
  isNear: boolean;
  readonly stored: Promise<void>;
}

/**
 * Replies that are over but not stored yet. A client asks on as soon as it has read the last word; its next request
 * waits here for the moment that storing takes, because otherwise it would not find the reply that it continues.
 */
export class Endings {
  readonly #byTrail = new Map<string, Set<Ending>>();

  /** A call begins that answers this trail. */
  begin(trail: string): { readonly soon: () => void; readonly when: (stored: Promise<void>) => void } {
    let resolve: () => void = () => undefined;
    const ending: Ending = { isNear: false, stored: new Promise((settle) => (resolve = settle)) };
    const all = this.#byTrail.get(trail) ?? new Set();
    this.#byTrail.set(trail, all.add(ending));
    const over = (): void => {
      all.delete(ending);
      if (all.size === 0 && this.#byTrail.get(trail) === all) this.#byTrail.delete(trail);
      resolve();
    };
    return {
      soon: () => (ending.isNear = true),
      when: (stored) => {
        ending.isNear = true;
        stored.then(over, over);
      },
    };
  }

  /** Waits until what is about to end in one of these histories has ended. */
  async of(said: readonly { readonly trail: string }[]): Promise<void> {
    if (this.#byTrail.size === 0) return;
    const near: Ending[] = [];
    for (const { trail } of said)
      for (const ending of this.#byTrail.get(trail) ?? []) if (ending.isNear) near.push(ending);
    if (near.length === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
    await Promise.race([Promise.all(near.map(({ stored }) => stored)), late]);
    clearTimeout(timer);
  }
}
