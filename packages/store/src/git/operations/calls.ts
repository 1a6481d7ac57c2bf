import type { Call, ProjectId } from '@bough/core';
import { tallyCache } from '../../cache-findings.ts';
import { tallyRecorded } from '../../recorded-calls.ts';
import type { Statistics, Store } from '../../store.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { Projects } from './nodes.ts';
import { requireTurn } from './draft-nodes.ts';
import { callsOf, rawsOf } from './turn-files.ts';
import { everyCall } from './every-turn.ts';

type Calls = Pick<Store, 'callsOfTurn' | 'getRaw' | 'statistics'>;

export function callOperations({ open, each }: Projects): Calls {
  return {
    callsOfTurn: async (id, turn) => {
      const project = await open(id);
      requireTurn(project.state(), turn);
      return (await callsOf(project, turn)).map(({ call }) => call);
    },

    getRaw: async (id, node) => {
      const project = await open(id);
      const indexed = project.state().index.get(node);
      return (await rawsOf(project, [indexed])).get(node) ?? null;
    },

    statistics: async (id) => {
      const tally = createTally();
      for await (const project of id === undefined ? each() : only(open, id)) {
        for (const node of project.state().index.all()) tally.addNode(node);
        for await (const { call } of everyCall(project)) tally.addCall(call);
      }
      return tally.result();
    },
  };
}

async function* only(open: (id: ProjectId) => Promise<OpenProject>, id: ProjectId): AsyncIterable<OpenProject> {
  yield await open(id);
}

type CallGroup = Statistics['calls'][number];
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function createTally() {
  const availability = new Map<string, Mutable<Statistics['availability'][number]>>();
  const calls = new Map<string, Mutable<CallGroup>>();
  const recorded = tallyRecorded();
  const cache = tallyCache();
  return {
    addNode: (node: { provider: string | null; modelUsed: string | null; availability: string | null }): void => {
      if (node.availability === null) return;
      const group = { provider: node.provider ?? '', model: node.modelUsed ?? '', availability: node.availability };
      const key = JSON.stringify(group);
      const tallied = availability.get(key) ?? { ...group, count: 0 };
      tallied.count += 1;
      availability.set(key, tallied);
    },
    addCall: (call: Call): void => {
      recorded.add(call);
      cache.add(call);
      const { provider, model, status, errorCode, purpose = null } = call;
      const group = { provider, model, status, errorCode, purpose };
      const key = JSON.stringify(group);
      const nothing = { count: 0, inputTokens: 0, outputTokens: 0, reasoningTokens: 0, cost: null };
      const tallied: Mutable<CallGroup> = calls.get(key) ?? { ...group, ...nothing };
      tallied.count += 1;
      tallied.inputTokens += call.usage?.inputTokens ?? 0;
      tallied.outputTokens += call.usage?.outputTokens ?? 0;
      tallied.reasoningTokens += call.usage?.reasoningTokens ?? 0;
      // An unknown cost is not zero: a sum of only unknown costs stays unknown.
      if (call.cost !== null) tallied.cost = (tallied.cost ?? 0) + call.cost;
      calls.set(key, tallied);
    },
    result: (): Statistics => ({
      availability: [...availability.values()],
      calls: [...calls.values()],
      ...recorded.result(),
      ...cache.result(),
    }),
  };
}
