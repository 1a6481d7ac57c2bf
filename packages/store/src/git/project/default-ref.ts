import { HEAD_REFS } from '../meta/layout.ts';
import type { OpenProject } from './open-project.ts';
import { branchesInOrder } from './state.ts';
import { setDefaultRef } from './summary.ts';

/** Makes `HEAD` name a branch that exists, so that a plain `git log` shows something. */
export async function settleDefaultRef({ repository, exclusively }: OpenProject): Promise<void> {
  await exclusively(async (state) => {
    if (state.heads.has(state.defaultRef)) return;
    const records = branchesInOrder(state);
    const ref = (records.find(({ hidden }) => !hidden) ?? records[0])?.ref;
    if (ref === undefined || !ref.startsWith(HEAD_REFS)) return;
    await setDefaultRef(repository.gitDir, ref);
    state.defaultRef = ref;
  });
}
