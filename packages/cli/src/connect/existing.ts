import type { Client } from '@bough/api';
import { ApiError } from '@bough/api';
import { UnknownIdError } from '@bough/core';
import { openExistingStore } from '@bough/server';
import type { Store } from '@bough/store';
import { ConflictError } from '@bough/store';
import type { Existing } from '@bough/transfer';
import type { Input } from '../arguments/index.ts';
import type { Terminal } from '../terminal/index.ts';
import { findServer } from './index.ts';
import { wholeGraph } from './graph.ts';
import type { Settings } from './settings.ts';

/**
 * Looks at what is stored for the duration of some work, and makes nothing: neither a store nor an account of one. A
 * store that a server holds is asked for through the server.
 */
export async function withExisting<Result>(
  input: Input,
  terminal: Terminal,
  { config }: Settings,
  work: (existing: Existing) => Promise<Result>,
): Promise<Result> {
  let store: Store | null;
  try {
    store = await openExistingStore(config);
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'store_locked') throw error;
    const server = await findServer(input, terminal);
    if (server === null) throw error;
    return work(throughServer(server.client));
  }
  if (store === null) return work(async () => null);
  const opened = store;
  try {
    return await work(inStore(opened));
  } finally {
    await opened.close();
  }
}

function inStore(store: Store): Existing {
  return async (project) => {
    try {
      const { nodes, branches } = await store.graph(project);
      return { nodes: new Set(nodes.map(({ id }) => id)), branches: new Set(branches.map(({ id }) => id)) };
    } catch (error) {
      if (error instanceof UnknownIdError) return null;
      throw error;
    }
  };
}

function throughServer(client: Client): Existing {
  return async (project) => {
    try {
      const { nodes, branches } = await wholeGraph(client, project);
      return { nodes: new Set(nodes.map(({ id }) => id)), branches: new Set(branches.map(({ id }) => id)) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  };
}
