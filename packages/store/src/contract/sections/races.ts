import { expect } from 'vitest';
import { ConflictError } from '../../errors.ts';
import { buildBranch, buildNode, buildTurn, freshId, idsOf, LONG_LEASE, NOWHERE, seedProject } from '../build.ts';
import type { Rule } from '../harness.ts';

const RUNNERS = 8;
const times = <T>(make: (index: number) => T): T[] => Array.from({ length: RUNNERS }, (_, index) => make(index));

function sortOut<T>(results: readonly PromiseSettledResult<T>[]): { won: T[]; lost: unknown[] } {
  const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  return { won, lost };
}

export function races(rule: Rule): void {
  rule(
    'ST-49',
    'of appends that expect the same tip one wins, and the others leave nothing',
    async ({ store, reopen }) => {
      const { project, branch } = await seedProject(store);
      const nodes = times((index) => buildNode(project, null, `runner ${index}`));
      const results = await Promise.allSettled(
        nodes.map((node) =>
          store.appendNodes(project.id, [node], { branchId: branch.id, expected: null, next: node.id }),
        ),
      );
      const { won, lost } = sortOut(results);
      expect(won.length).toBe(1);
      expect(lost.length).toBe(RUNNERS - 1);
      for (const error of lost) expect(error).toMatchObject({ code: 'tip_moved' });
      const reopened = await reopen();
      const stored = await reopened.children(project.id, null);
      expect(stored.length).toBe(1);
      expect((await reopened.getBranch(project.id, branch.id)).tipId).toBe(stored[0]?.id);
    },
  );

  rule('ST-49', 'writers that read again and retry lose nothing', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const texts = times((index) => `writer ${index}`);
    await Promise.all(
      texts.map(async (text) => {
        for (;;) {
          const { tipId } = await store.getBranch(project.id, branch.id);
          const node = buildNode(project, tipId === null ? null : { id: tipId }, text);
          try {
            await store.appendNodes(project.id, [node], { branchId: branch.id, expected: tipId, next: node.id });
            return;
          } catch (error) {
            if (!(error instanceof ConflictError)) throw error;
          }
        }
      }),
    );
    const { tipId } = await store.getBranch(project.id, branch.id);
    const path = await store.path(project.id, tipId ?? NOWHERE.node);
    expect(path.map(({ content }) => content).sort()).toStrictEqual([...texts].sort());
  });

  rule('ST-49', 'of turns that begin together on a branch one runs', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const results = await Promise.allSettled(
      times((index) => {
        const turn = buildTurn(project, branch);
        const user = buildNode(project, null, `runner ${index}`, { turnId: turn.id });
        return store.beginTurn({ turn, owner: `owner-${index}`, leaseMs: LONG_LEASE, nodes: [user] });
      }),
    );
    const { won, lost } = sortOut(results);
    expect(won.length).toBe(1);
    for (const error of lost) {
      expect(error).toMatchObject({ code: 'turn_running', conflicting: won[0]?.turn.id });
    }
    expect((await store.children(project.id, null)).length).toBe(1);
  });

  rule('ST-49', 'of repeated requests that arrive together one stores', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const clientRequestId = freshId('request');
    const results = await Promise.all(
      times(() => {
        const turn = buildTurn(project, branch);
        const user = buildNode(project, null, 'once', { turnId: turn.id });
        return store.beginTurn({ turn, owner: 'owner-1', leaseMs: LONG_LEASE, clientRequestId, nodes: [user] });
      }),
    );
    expect(results.filter(({ repeated }) => !repeated).length).toBe(1);
    expect(new Set(idsOf(results.map(({ turn }) => turn))).size).toBe(1);
    expect((await store.children(project.id, null)).length).toBe(1);
  });

  rule('ST-49', 'of branches that take the same name together one gets it', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const results = await Promise.allSettled(times(() => store.createBranch(buildBranch(project, { name: 'wanted' }))));
    const { won, lost } = sortOut(results);
    expect(won.length).toBe(1);
    for (const error of lost) expect(error).toMatchObject({ code: 'name_taken' });
    expect((await store.listBranches(project.id)).map(({ name }) => name)).toStrictEqual([branch.name, 'wanted']);
  });

  rule('ST-49', 'writers on different branches do not disturb each other', async ({ store, reopen }) => {
    const { project } = await seedProject(store);
    const tips = await Promise.all(
      times(async (index) => {
        const own = buildBranch(project);
        await store.createBranch(own);
        let tip: ReturnType<typeof buildNode> | null = null;
        for (let step = 0; step < 5; step += 1) {
          const node: ReturnType<typeof buildNode> = buildNode(project, tip, `${index}.${step}`);
          const expected = tip?.id ?? null;
          await store.appendNodes(project.id, [node], { branchId: own.id, expected, next: node.id });
          tip = node;
        }
        return { branch: own, tip };
      }),
    );
    const reopened = await reopen();
    for (const [index, { branch, tip }] of tips.entries()) {
      expect((await reopened.getBranch(project.id, branch.id)).tipId).toBe(tip?.id);
      const path = await reopened.path(project.id, tip?.id ?? NOWHERE.node);
      expect(path.map(({ content }) => content)).toStrictEqual([0, 1, 2, 3, 4].map((step) => `${index}.${step}`));
    }
  });
}
