/** One at a time, in the order of the calls. */
export type Exclusion = <T>(work: () => Promise<T>) => Promise<T>;

export function createExclusion(): Exclusion {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // The next one waits for this one, whether or not it fails; its failure is reported to its own caller.
    last = mine.catch(() => undefined);
    return mine;
  };
}
