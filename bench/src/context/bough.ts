import type { NodeId, RawResponse, TreeNode } from '@bough/core';
import type { CallTarget, PreparedCall, Provider } from '@bough/providers';
import { createRecall, prepareCall } from '@bough/providers';
import type { Conversation } from './conversation.ts';
import { SYSTEM_PROMPT, TOOL } from './conversation.ts';

type Renderings = ReadonlyMap<NodeId, ReadonlyMap<string, string>>;

/** What the engine has in its hands when it has read a path from the store: objects that nobody has seen before. */
export interface Loaded {
  readonly path: readonly TreeNode[];
  readonly raws: ReadonlyMap<NodeId, RawResponse>;
  readonly renderings: Renderings;
}

/** A stored conversation, and the requests that the engine makes of it. */
export class StoredConversation {
  readonly #target: CallTarget;
  readonly #stored: string;
  readonly #renderings = new Map<NodeId, Map<string, string>>();
  /** What the process remembers; a process that has just begun remembers nothing. */
  readonly #recall = createRecall();

  constructor({ path, raws }: Conversation, provider: Provider, model: string) {
    this.#target = { provider, model, systemPrompt: SYSTEM_PROMPT, tools: [TOOL], thinking: 'medium' };
    this.#stored = JSON.stringify({ path, raws: [...raws] });
  }

  /** Reads it again, with these messages behind it. */
  load(next: Conversation): Loaded {
    const { path, raws } = JSON.parse(this.#stored) as { path: TreeNode[]; raws: [NodeId, RawResponse][] };
    return {
      path: [...path, ...next.path],
      raws: new Map([...raws, ...next.raws]),
      renderings: new Map([...this.#renderings].map(([id, byKey]) => [id, new Map(byKey)])),
    };
  }

  prepare({ path, raws, renderings }: Loaded, process: 'running' | 'new'): PreparedCall {
    return prepareCall(path, this.#target, {
      rawOf: (id) => raws.get(id),
      renderingOf: (id, key) => renderings.get(id)?.get(key),
      recall: process === 'running' ? this.#recall : createRecall(),
    });
  }

  /** What a request left to be stored. */
  keep({ request }: PreparedCall): void {
    for (const { nodeId, key, bytes } of request.renderings) {
      const byKey = this.#renderings.get(nodeId) ?? new Map<string, string>();
      this.#renderings.set(nodeId, byKey.set(key, bytes));
    }
  }
}
