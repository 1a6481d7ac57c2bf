import { expect } from 'vitest';
import { freshId } from '../build.ts';
import type { Rule } from '../harness.ts';
import { brokenFiles } from '../model/files.ts';
import type { StoreModel } from '../model/model.ts';
import { applyOperation, EMPTY_MODEL, snapshotOfModel } from '../model/model.ts';
import { runOperation } from '../model/operations.ts';
import { planSteps } from '../model/plan.ts';
import { snapshotProject } from '../snapshot.ts';

const STEPS = 120;

export function randomWork(rule: Rule): void {
  for (const seed of [1, 2]) randomWorkOf(seed, rule);
}

function randomWorkOf(seed: number, rule: Rule): void {
  rule('ST-51', `random work leaves what a plain model of it leaves (seed ${seed})`, async ({ store, reopen }) => {
    let model: StoreModel = EMPTY_MODEL;
    let steps = 0;
    for (const step of planSteps(seed, freshId('plan'))) {
      await Promise.all(step.map((operation) => runOperation(store, operation)));
      model = step.reduce(applyOperation, model);
      steps += 1;
      if (steps === STEPS) break;
    }
    for (const [id, project] of model) {
      expect(await snapshotProject(store, id)).toStrictEqual(snapshotOfModel(project));
    }
    expect(await brokenFiles(store)).toStrictEqual([]);
    const reopened = await reopen();
    expect(await brokenFiles(reopened)).toStrictEqual([]);
    for (const [id, project] of model) {
      expect(await snapshotProject(reopened, id)).toStrictEqual(snapshotOfModel(project));
    }
  });
}
