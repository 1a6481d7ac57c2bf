import type { CachedTurn, NodeId, RawResponse, TreeNode } from '@bough/core';
import { marksOf } from '@bough/core';
import type { CallTarget, PreparedCall, Provider } from '@bough/providers';
import { prepareStored } from '@bough/providers';
import type { StoredContext } from '@bough/store';
import type { Conversation } from './conversation.ts';
import { joined, SYSTEM_PROMPT, TOOL } from './conversation.ts';

/** A stored conversation, and the requests that the engine builds from it. */
export class StoredConversation {
  readonly #target: CallTarget;
  readonly #history: Conversation;
  readonly #renderings = new Map<NodeId, Map<string, string>>();
  readonly #cachedTurns = new Map<NodeId, CachedTurn>();

  constructor(history: Conversation, provider: Provider, model: string) {
    this.#target = { provider, model, systemPrompt: SYSTEM_PROMPT, tools: [TOOL], thinking: 'medium' };
    this.#history = history;
  }

  /** What PostgreSQL returns for it with these messages appended: fresh objects, texts and bytes each time. */
  read(next: Conversation, cache: 'cached' | 'nothing cached' = 'cached'): StoredContext {
    const { path, raws } = joined(this.#history, next);
    const turns = path.slice(0, -1).flatMap(({ id }) => (cache === 'cached' ? (this.#cachedTurns.get(id) ?? []) : []));
    const newest = turns.at(-1)?.nodeId;
    const behind = newest === undefined ? path : path.slice(1 + path.findIndex(({ id }) => id === newest));
    const nodes = anew(behind);
    const ofNodes = <Value>(values: ReadonlyMap<NodeId, Value>) =>
      nodes.flatMap(({ id }) => {
        const value = values.get(id);
        return value === undefined ? [] : [[id, value] as const];
      });
    return {
      marks: anew(marksOf(path)),
      cachedTurns: outOfOneBuffer(turns),
      nodes,
      raws: new Map(anew(ofNodes<RawResponse>(raws))),
      renderings: new Map(ofNodes(this.#renderings)),
    };
  }

  /** The way the engine does it (`packages/engine/src/assemble/`). */
  prepare({ marks, nodes, cachedTurns, raws, renderings }: StoredContext): PreparedCall {
    const call = prepareStored({ marks, nodes, cachedTurns }, this.#target, {
      rawOf: (id: NodeId) => raws.get(id),
      renderingOf: (id: NodeId, key: string) => renderings.get(id)?.get(key),
    });
    if (call === null) throw new Error('What was read does not make a request.');
    return call;
  }

  /** What a request left behind to be stored. */
  keep({ request, newCachedTurns }: PreparedCall): void {
    for (const { nodeId, key, bytes } of request.renderings) {
      const byKey = this.#renderings.get(nodeId) ?? new Map<string, string>();
      this.#renderings.set(nodeId, byKey.set(key, bytes));
    }
    for (const turn of newCachedTurns()) this.#cachedTurns.set(turn.nodeId, turn);
  }
}

function anew<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function outOfOneBuffer(turns: readonly CachedTurn[]): readonly CachedTurn[] {
  const bytes = Buffer.concat(turns.map((turn) => turn.bytes));
  let at = 0;
  return turns.map((turn) => {
    const { nodeId, slot, key, facts } = anew(turn);
    const own = { nodeId, slot, key, facts, bytes: bytes.subarray(at, at + turn.bytes.length) };
    at += turn.bytes.length;
    return own;
  });
}

/** The nodes of a path, in the form that checks of a request need. */
export function pathOf(history: Conversation, next: Conversation): readonly TreeNode[] {
  return joined(history, next).path;
}
