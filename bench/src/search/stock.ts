import type { NodeId, TreeNode } from '@bough/core';
import { nodeId } from '@bough/core';
import type { PostgresStore } from '@bough/store';
import MiniSearch from 'minisearch';
import { seedProject } from '../store/bough.ts';
import { multiply, settle, timeOfTurn } from '../store/fill.ts';
import { Writer } from '../store/payload.ts';
import type { BenchServer } from '../store/server.ts';

/** A project of some size, with words of which is known how often they occur. */
export interface Stock {
  readonly server: BenchServer;
  readonly schema: string;
  readonly store: PostgresStore;
  readonly inMemory: MiniSearch<Document> | null;
  readonly close: () => Promise<void>;
}

export interface Document {
  readonly id: string;
  readonly text: string;
}

/** In every few messages; in one of a thousand; in three of all. */
export const COMMON = ['water', 'history', 'summary', 'provider', 'against', 'between', 'question', 'another'];
export const RARER = 'quagga';
export const RARE = 'zyzzyva';
/** Of common words, and in the same three messages. */
export const PHRASE = 'water history summary provider against';

const PATH_TURNS = 500;

export async function makeStock(server: BenchServer, nodes: number, inMemory: boolean): Promise<Stock> {
  const schema = `search_${nodes}`;
  const writer = new Writer(nodes);
  const conversation = writer.conversation(null, Math.min(PATH_TURNS, nodes / 2), timeOfTurn);
  const store = await server.openStore(schema);
  const { project } = await seedProject(store, conversation);
  await multiply(server, schema, {
    turns: conversation.length,
    copies: Math.round(nodes / (conversation.length * 2)) - 1,
  });
  const rarer = Array.from({ length: Math.max(25, nodes / 1000) }, (_, at) => `${at} a ${RARER} came by`);
  const rare = [1, 2, 3].map((at) => `${at} the ${RARE} said ${PHRASE}`);
  const [last] = await store.children(project.id, null);
  if (last === undefined) throw new Error('A project has a root.');
  // Older than everything else: found neither by chance nor because they are the newest.
  const said = [...rarer, ...rare].map((text, at) => saying(last, nodeId(`said-${at}`), text));
  for (let at = 0; at < said.length; at += 500) await store.appendNodes(project.id, said.slice(at, at + 500));
  await settle(server);
  return {
    server,
    schema,
    store,
    inMemory: inMemory ? await indexInMemory(server, schema) : null,
    close: async () => {
      await store.close();
      await server.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
}

function saying(like: TreeNode, id: NodeId, text: string): TreeNode {
  return {
    ...like,
    id,
    parentId: null,
    turnId: null,
    contentBlocks: [{ type: 'text', text }],
    content: text,
    matchKey: id,
    createdAt: '2020-01-01T00:00:00.000Z',
  };
}

async function indexInMemory(server: BenchServer, schema: string): Promise<MiniSearch<Document>> {
  const index = new MiniSearch<Document>({ fields: ['text'] });
  const rows = await server.query(
    `SELECT id, (SELECT string_agg(coalesce(block ->> 'text', block ->> 'thinking'), ' ')
      FROM json_array_elements(content_blocks::json) AS block) AS text FROM ${schema}.nodes`,
  );
  index.addAll(rows.map(({ id, text }) => ({ id: String(id), text: String(text) })));
  return index;
}
