import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import type { Checkpoint } from '@langchain/langgraph-checkpoint';
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import pg from 'pg';
import { randomUUID } from 'node:crypto';
import type { Keeper, Texts } from './keeper.ts';
import { blocksOf, messagesOf } from './payload.ts';
import type { BenchServer } from './server.ts';
import { bytesOfSchema } from './server.ts';

interface StoredMessage {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly blocks: readonly unknown[];
}

/**
 * LangGraph's checkpointer with one checkpoint per turn: fewer than its own graphs write. The channel holds every
 * message so far.
 */
export async function langGraphKeeper(
  server: BenchServer,
  schema: string,
): Promise<Keeper & { readonly close: () => Promise<void> }> {
  const pool = new pg.Pool({ ...server.connection, max: 1 });
  const saver = new PostgresSaver(pool, undefined, { schema });
  await saver.setup();
  const thread = randomUUID();
  const messages: StoredMessage[] = [];
  let checkpointId: string | undefined;

  const read = async (): Promise<Texts> => {
    const tuple = await saver.getTuple({ configurable: { thread_id: thread } });
    const stored: unknown = tuple?.checkpoint.channel_values['messages'];
    if (!Array.isArray(stored)) throw new Error('The checkpoint holds no messages.');
    return stored.map((message: StoredMessage) => message.text);
  };
  return {
    name: 'LangGraph checkpointer',
    role: 'peer',
    append: async (turn) => {
      for (const message of messagesOf([turn])) {
        messages.push({ id: message.id, role: message.role, text: message.text, blocks: blocksOf(message) });
      }
      const version = messages.length;
      const checkpoint: Checkpoint = {
        ...emptyCheckpoint(),
        id: uuid6(version),
        channel_values: { messages },
        channel_versions: { messages: version },
      };
      const config = { configurable: { thread_id: thread, ...(checkpointId && { checkpoint_id: checkpointId }) } };
      await saver.put(config, checkpoint, { source: 'loop', step: version, parents: {} }, { messages: version });
      checkpointId = checkpoint.id;
    },
    newestPage: async (_, count) => (await read()).slice(-count),
    path: () => read(),
    bytes: () => bytesOfSchema(server, schema),
    close: () => saver.end(),
  };
}
