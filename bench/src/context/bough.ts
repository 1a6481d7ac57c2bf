import type { NodeId, RawResponse, TreeNode } from '@bough/core';
import type { CallTarget, PreparedCall, Provider, Recall } from '@bough/providers';
import { createRecall, prepareCall, prepareCallBehind } from '@bough/providers';
import type { StoredContext } from '@bough/store';
import type { Conversation } from './conversation.ts';
import { joined, SYSTEM_PROMPT, TOOL } from './conversation.ts';

/** A stored conversation, and the requests that the engine makes of it. */
export class StoredConversation {
  readonly #target: CallTarget;
  readonly #history: Conversation;
  readonly #renderings = new Map<NodeId, Map<string, string>>();

  constructor(history: Conversation, provider: Provider, model: string) {
    this.#target = { provider, model, systemPrompt: SYSTEM_PROMPT, tools: [TOOL], thinking: 'medium' };
    this.#history = history;
  }

  /** What PostgreSQL gives of all of it, with these messages behind it: objects and texts that nobody has seen before. */
  readAll(next: Conversation): StoredContext {
    return this.#stored(joined(this.#history, next), null);
  }

  /** The same for a process that remembers the conversation before these messages. */
  readBehind(next: Conversation): StoredContext {
    const { path } = this.#history;
    const end = path.at(-1);
    if (end === undefined) throw new Error('There is nothing to remember.');
    return this.#stored(next, { end: end.id, versions: path.map(versionOf).join(',') });
  }

  #stored(read: Conversation, front: StoredContext['front']): StoredContext {
    const text = JSON.stringify({ front, path: read.path, raws: [...read.raws] });
    const { path, raws, ...rest } = JSON.parse(text) as {
      readonly front: StoredContext['front'];
      readonly path: readonly TreeNode[];
      readonly raws: readonly (readonly [NodeId, RawResponse])[];
    };
    const renderings = path.flatMap(({ id }) => {
      const byKey = this.#renderings.get(id);
      return byKey === undefined ? [] : [[id, new Map(byKey)] as const];
    });
    return {
      ...rest,
      path,
      versions: new Map(path.map((node) => [node.id, versionOf(node)])),
      raws: new Map(raws),
      renderings: new Map(renderings),
    };
  }

  /** As the engine does it (`packages/engine/src/assemble/`). */
  prepare({ front, path, raws, renderings, versions }: StoredContext, recall: Recall): PreparedCall {
    const sources = {
      recall,
      rawOf: (id: NodeId) => raws.get(id),
      renderingOf: (id: NodeId, key: string) => renderings.get(id)?.get(key),
      versionOf: (id: NodeId) => versions.get(id),
    };
    if (front === null) return prepareCall(path, this.#target, sources);
    const known = recall.front(front, this.#target);
    const call = known === null ? null : prepareCallBehind(known, [...known.nodes, ...path], this.#target, sources);
    if (call === null) throw new Error('The process does not remember what it sent before.');
    return call;
  }

  /** What a request left to be stored. */
  keep({ request }: PreparedCall): void {
    for (const { nodeId, key, bytes } of request.renderings) {
      const byKey = this.#renderings.get(nodeId) ?? new Map<string, string>();
      this.#renderings.set(nodeId, byKey.set(key, bytes));
    }
  }

  /** A process that has talked to it, so that all of it is settled. */
  talkedTo(question: Conversation): Recall {
    const recall = createRecall();
    // Of a path that is longer than any before, the first request only teaches how much room it needs.
    for (let time = 0; time < 3; time += 1) this.keep(this.prepare(this.readAll(question), recall));
    return recall;
  }
}

/** PostgreSQL names a row by its key and the transaction that wrote it. */
function versionOf({ id }: TreeNode): string {
  return JSON.stringify([id, '731']);
}
