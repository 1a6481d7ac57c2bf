/**
 * A set that grows by becoming another one: fronts that go on from the same front must not see what the others added. It is held in
 * layers, each larger than those above it together, so that growing copies little and looking up asks few of them.
 */
export class GrownSet {
  readonly #layers: readonly ReadonlySet<string>[];

  constructor(layers: readonly ReadonlySet<string>[] = []) {
    this.#layers = layers;
  }

  has(value: string): boolean {
    return this.#layers.some((layer) => layer.has(value));
  }

  with(values: Iterable<string>): GrownSet {
    let top: ReadonlySet<string> = new Set(values);
    let below = this.#layers.length;
    for (; below > 0; below -= 1) {
      const layer = this.#layers[below - 1];
      if (layer === undefined || layer.size > top.size) break;
      top = new Set([...layer, ...top]);
    }
    return new GrownSet([...this.#layers.slice(0, below), top]);
  }
}
