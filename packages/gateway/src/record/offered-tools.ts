import type { Call, ToolDefinition } from '@bough/core';
import type { Store } from '@bough/store';
import { readBody } from '../dialects/index.ts';
import { toolNames } from '../route/names.ts';
import { rebuildBody } from './rebuild.ts';

type Readable = Pick<Store, 'callsOfTurn' | 'readContext' | 'nodesOfTurn'>;

/** The tools that a client offered in a recorded call, under the names that its provider knows; none if gone. */
export async function offeredTools(store: Readable, call: Call): Promise<readonly ToolDefinition[]> {
  const { exchange } = call;
  if (exchange === undefined) return [];
  const text = await rebuildBody(store, call.projectId, call, 'came');
  const body = text === null ? null : readBody(exchange.protocol, text, pathModel(exchange.path));
  if (body === null) return [];
  return exchange.mode === 'route' ? toolNames(body).definitions : body.tools;
}

/** What a Gemini path says behind `models/`; undefined for any other. */
export function pathModel(path: string): string | undefined {
  return /\/models\/([^/?]+)/.exec(path)?.[1];
}
