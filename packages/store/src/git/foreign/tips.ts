import { META_REF } from '../meta/layout.ts';
import { WHO } from '../objects/commit-object.ts';
import type { GitObject } from '../process/object-reader.ts';
import type { Repository } from '../repository/repository.ts';
import { StoreError } from '../../errors.ts';

/** A commit or a tag, as far as history is concerned. */
interface Step {
  readonly isBoughs: boolean;
  readonly parents: readonly string[];
}

/**
 * Where each ref would be if Bough had written nothing: at the newest commit of somebody else. A ref with commits of
 * Bough alone is not among them.
 */
export async function foreignTips(repository: Repository): Promise<ReadonlyMap<string, string>> {
  const refs = [...(await repository.listRefs())].filter(([ref]) => ref !== META_REF);
  const steps = new Map<string, Step | null>();
  const tips = new Map<string, string>();
  for (const [ref, oid] of refs.sort(([a], [b]) => (a < b ? -1 : 1))) {
    let at: string | undefined = oid;
    while (at !== undefined) {
      const step: Step | null = steps.get(at) ?? (await stepAt(repository, at));
      steps.set(at, step);
      // What is missing was lost before Bough came.
      if (step === null) break;
      if (!step.isBoughs) {
        tips.set(ref, at);
        break;
      }
      at = step.parents[0];
    }
  }
  return tips;
}

/** Asked of git, in one go: a project that Bough made has thousands of commits, and is asked at every export. */
export async function hasForeignCommits(repository: Repository): Promise<boolean> {
  const refs = [...(await repository.listRefs())].filter(([ref]) => ref !== META_REF);
  if (refs.length === 0) return false;
  const log = await repository.ask(
    ['log', '--format=%cn <%ce>', '--stdin'],
    refs.map(([, oid]) => `${oid}\n`).join(''),
  );
  return log.split('\n').some((line) => line !== '' && line !== WHO);
}

async function stepAt(repository: Repository, oid: string): Promise<Step | null> {
  const object = await readIfWhole(repository, oid);
  if (object === null) return null;
  const text = object.content.toString('latin1');
  const head = text.slice(0, text.indexOf('\n\n'));
  return {
    isBoughs: object.type === 'commit' && head.includes(`\ncommitter ${WHO} `),
    parents: [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent = '']) => parent),
  };
}

/** Null for an object that is missing or damaged: it cannot be kept, and must not keep the others from being kept. */
export async function readIfWhole(repository: Repository, oid: string): Promise<GitObject | null> {
  try {
    return await repository.readObject(oid);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'corrupt_object') return null;
    throw error;
  }
}
