import type { StreamLine, TreeNode, TurnId } from '@bough/core';
import { isTextBlock, isThinkingBlock } from '@bough/core';
import type { Deployment } from '@bough/providers';
import { createProvider, simulatedDeployments } from '@bough/providers';
import type { Store } from '@bough/store';
import { expect } from 'vitest';
import type { Engine } from '../engine.ts';
import { createEngine } from '../engine.ts';
import type { EngineLimits, Environment } from '../environment.ts';
import { DEFAULT_LIMITS } from '../environment.ts';
import { randomIds } from '../ids/index.ts';
import { createToolBox } from '../tools/tool-box.ts';
import type { Tool } from '../tools/tool.ts';

export interface Stage {
  readonly env: Environment;
  readonly engine: Engine;
  /** What an operator would read. */
  readonly problems: readonly { readonly what: string; readonly message: string }[];
}

/** A separate process on a store: what it remembers and owns is its own. */
export function stageOn(
  store: Store,
  simulatorUrl: string,
  options: {
    readonly owner?: string;
    readonly limits?: Partial<EngineLimits>;
    readonly tools?: readonly Tool[];
    readonly approval?: 'auto' | 'ask';
    /** What is different about the providers. */
    readonly change?: (deployment: Deployment) => Deployment;
  } = {},
): Stage {
  const { change = (deployment) => deployment } = options;
  const simulated = simulatedDeployments(simulatorUrl).map((deployment) =>
    createProvider(change(deployment), { key: null }),
  );
  const problems: { what: string; message: string }[] = [];
  const source = { tools: () => options.tools ?? [], close: () => Promise.resolve() };
  const env: Environment = {
    store,
    providers: {
      get: (id) => {
        const found = simulated.find(({ deployment }) => deployment.id === id);
        if (found === undefined) throw new Error(`There is no provider "${id}".`);
        return found;
      },
      list: () => simulated,
      defaults: () => ({ provider: 'simulated', model: 'sim-thinker' }),
    },
    tools: createToolBox({ approval: { '*': options.approval ?? 'auto' }, sources: [source] }),
    ids: randomIds,
    now: () => new Date(),
    owner: options.owner ?? 'owner',
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    observe: (event) => {
      if (event.type === 'problem') problems.push(event);
    },
  };
  return { env, engine: createEngine(env), problems };
}

/** What the store of a dead process answers. */
export class DeadError extends Error {}

export function tool(name: string, run: Tool['run']): Tool {
  return {
    definition: { name, description: name, inputSchema: { type: 'object', properties: {} } },
    source: 'test',
    run,
  };
}

/** Everything that a client sees of a turn, until its stream ends or breaks. */
export async function watch(engine: Engine, projectId: Parameters<Engine['watch']>[0], turnId: TurnId, after = 0) {
  const lines: StreamLine[] = [];
  try {
    for await (const some of engine.watch(projectId, turnId, after, new AbortController().signal)) lines.push(...some);
  } catch (error) {
    if (!(error instanceof DeadError)) throw error;
  }
  return lines;
}

/** Every line shown is among the nodes of its turn: words, thoughts, calls, results, errors; nothing is there twice. */
export function expectShownIn(nodes: readonly TreeNode[], lines: readonly StreamLine[]): void {
  const replies = nodes.filter((node) => node.role === 'assistant' && !node.isError);
  const blocks = replies.flatMap((node) => node.contentBlocks);
  const shown = (type: 'text' | 'thinking'): string =>
    lines.map((line) => (line.type === type ? line.content : '')).join('');
  const text = blocks.filter(isTextBlock).map((block) => block.text);
  const thinking = blocks.filter(isThinkingBlock).map((block) => block.thinking);
  expect(text.join('').startsWith(shown('text'))).toBe(true);
  expect(thinking.join('').startsWith(shown('thinking'))).toBe(true);
  const calls = lines.flatMap((line) => (line.type === 'tool_call' ? [line.id] : []));
  expect(blocks.flatMap((block) => (block.type === 'tool-use' ? [block['id']] : []))).toEqual(
    expect.arrayContaining(calls),
  );
  const results = nodes.flatMap((node) => (node.role === 'tool' ? [[node.toolCallId, node.content]] : []));
  for (const line of lines) {
    if (line.type !== 'tool_result') continue;
    expect(results.filter(([id]) => id === line.toolCallId)).toEqual([[line.toolCallId, line.content]]);
  }
  const errors = lines.flatMap((line) => (line.type === 'error' ? [line.message] : []));
  const told = nodes.flatMap((node) => (node.isError ? [node.content] : []));
  expect(told).toEqual(expect.arrayContaining(errors));
  // One chain: no duplicates next to it.
  nodes.slice(1).forEach((node, at) => expect(node.parentId).toBe(nodes[at]?.id));
}
