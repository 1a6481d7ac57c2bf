import type { Lock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { checkModel } from '../branches/model.ts';
import type { Environment } from '../environment.ts';
import type { DocumentName } from './document.ts';
import { replaceDocument } from './document.ts';

/** The provider and model that new projects begin with. */
export async function defaultLock(env: Environment): Promise<Lock> {
  return env.providers.defaults(await chosenLock(env, 'defaults'));
}

/** A default that does not exist would refuse every new project. */
export async function setDefaultLock(env: Environment, lock: Lock): Promise<void> {
  await checkModel(env, lock, null);
  await replaceDocument(env, 'defaults', { provider: lock.provider, model: lock.model });
}

/** The model that writes titles; null if titles are first lines. */
export async function titleModel(env: Environment): Promise<Lock | null> {
  return chosenLock(env, 'titles');
}

export async function setTitleModel(env: Environment, lock: Lock | null): Promise<void> {
  if (lock !== null) await checkModel(env, lock, null);
  await replaceDocument(env, 'titles', lock === null ? null : { provider: lock.provider, model: lock.model });
}

async function chosenLock({ store }: Pick<Environment, 'store'>, name: DocumentName): Promise<Lock | null> {
  return lockIn((await store.getDocument(name))?.value);
}

/** A provider and model in a stored document. */
export function lockIn(value: unknown): Lock | null {
  if (!isPlainObject(value)) return null;
  const { provider, model } = value;
  return typeof provider === 'string' && typeof model === 'string' ? { provider, model } : null;
}
