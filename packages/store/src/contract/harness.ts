import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../store.ts';

/** A store opened for tests, with the means to open the same data again and to clean up completely. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the open store and opens the same data again. */
  readonly reopen: () => Promise<Store>;
  /** Closes what is open and removes the data. */
  readonly dispose: () => Promise<void>;
}

export interface ContractBackend {
  /** Opens a new, empty store. May be called several times; the stores are independent. */
  readonly open: () => Promise<OpenedStore>;
  /** Rules that this back end cannot keep, each with its reason. */
  readonly skips?: Readonly<Record<string, string>>;
}

/** What a test of the contract gets. The tests of a section share one store: each works in projects of its own. */
export interface Subject {
  readonly store: Store;
  /** Closes and reopens the shared store; the test continues with the store that this returns. */
  readonly reopen: () => Promise<Store>;
  /** A second, empty store of the same back end, removed when the test ends. */
  readonly another: () => Promise<Store>;
}

export type Rule = (id: string, claim: string, body: (subject: Subject) => Promise<void>) => void;

/** The tests of one subject. */
export type Section = (rule: Rule) => void;

/**
 * Registers the tests of the sections. Those of a section share one store: in one for all of them, whatever looks at
 * every project would look at hundreds. It is opened by the first test that runs, so a filtered run costs nothing.
 */
export function describeSections(name: string, backend: ContractBackend, sections: readonly Section[]): void {
  describe(`${name}: contract`, () => {
    for (const section of sections) {
      describe(`section ${section.name}`, () => {
        describeWithSharedStore(backend, section);
      });
    }
  });
}

function describeWithSharedStore(backend: ContractBackend, section: Section): void {
  let opening: Promise<OpenedStore> | undefined;
  let store: Store | undefined;

  const opened = (): Promise<OpenedStore> => (opening ??= backend.open());
  const current = async (): Promise<Store> => (store ??= (await opened()).store);

  afterAll(async () => {
    if (opening) await (await opening).dispose();
  });

  section((id, claim, body) => {
    test(`${id}: ${claim}`, async (context) => {
      const reason = backend.skips?.[id];
      if (reason !== undefined) context.skip(reason);
      expect.hasAssertions();
      await body({
        store: await current(),
        reopen: async () => {
          store = await (await opened()).reopen();
          return store;
        },
        another: async () => {
          const second = await backend.open();
          onTestFinished(() => second.dispose());
          return second.store;
        },
      });
    });
  });
}
