import { turnId } from '@bough/core';
import { expect, vi } from 'vitest';
import type { StoreSignal } from '../../store.ts';
import { buildProject, freshId } from '../build.ts';
import type { Rule } from '../harness.ts';

export function signals(rule: Rule): void {
  rule('ST-44', 'a published signal reaches every listener, in order, until it leaves', async ({ store }) => {
    const project = buildProject();
    const turn = turnId(freshId('turn'));
    const sent: readonly StoreSignal[] = [
      { type: 'progress', projectId: project.id, turnId: turn, seq: 7 },
      { type: 'watching', projectId: project.id, turnId: turn },
      { type: 'interrupt', projectId: project.id, turnId: turn },
      { type: 'changed', projectId: project.id },
      { type: 'changed', projectId: project.id, turnId: turn },
    ];
    const heard: StoreSignal[][] = [[], []];
    // Other tests' signals may still be on their way: count only this project's.
    const leave = heard.map((list) =>
      store.subscribe((signal) => {
        if (signal.projectId === project.id) list.push(signal);
      }),
    );
    for (const signal of sent) await store.publish(signal);
    await vi.waitFor(() => expect(heard).toStrictEqual([sent, sent]), { timeout: 30_000 });

    leave[0]?.();
    await store.publish({ type: 'changed', projectId: project.id });
    await vi.waitFor(() => expect(heard[1]?.length).toBe(sent.length + 1), { timeout: 30_000 });
    leave[1]?.();
    expect(heard[0]).toStrictEqual(sent);
  });

  rule('ST-44', 'a listener that throws does not keep the signal from the others', async ({ store }) => {
    const project = buildProject();
    const heard: StoreSignal[] = [];
    const leave = [
      store.subscribe((signal) => {
        if (signal.projectId === project.id) throw new Error('a listener of the test that fails');
      }),
      store.subscribe((signal) => {
        if (signal.projectId === project.id) heard.push(signal);
      }),
    ];
    await store.publish({ type: 'changed', projectId: project.id });
    await vi.waitFor(() => expect(heard.length).toBe(1), { timeout: 30_000 });
    for (const unsubscribe of leave) unsubscribe();
  });
}
