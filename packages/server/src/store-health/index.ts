import type { Store } from '@bough/store';
import type { StoreTrouble } from './trouble.ts';
import { storeTrouble } from './trouble.ts';

export type { StoreTrouble } from './trouble.ts';
export { storeTrouble } from './trouble.ts';

/** Repeated questions get the same answer for this long: each real check costs a write. */
const ANSWER_KEPT_MS = 1_000;
const ANSWER_MS = 5_000;

const SILENT: StoreTrouble = {
  status: 503,
  code: 'store_silent',
  sentence: 'The store does not answer in time. Try again in a moment.',
};

/**
 * Why the store cannot be written at the moment; null where it can. Asks the store itself, so that it recovers by
 * itself.
 */
export function watchStore(
  store: Pick<Store, 'check'>,
  now: () => number = Date.now,
): () => Promise<StoreTrouble | null> {
  let asked: { readonly answer: Promise<StoreTrouble | null>; readonly at: number } | null = null;
  return () => {
    if (asked === null || now() - asked.at >= ANSWER_KEPT_MS) asked = { answer: ask(store), at: now() };
    return asked.answer;
  };
}

async function ask(store: Pick<Store, 'check'>): Promise<StoreTrouble | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<StoreTrouble>((resolve) => {
    timer = setTimeout(() => resolve(SILENT), ANSWER_MS);
  });
  const answer = store.check().then(
    () => null,
    (error: unknown) => storeTrouble(error) ?? SILENT,
  );
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}
