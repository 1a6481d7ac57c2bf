import { join } from 'node:path';
import type { PostgresStore } from '@bough/store';
import { boughKeeper, seedProject } from './bough.ts';
import { copyToFloor, multiply, settle, timeOfTurn } from './fill.ts';
import { floorKeeper, makeFloorIndexes, makeFloorTable } from './floor.ts';
import type { Keeper, TurnKeeper } from './keeper.ts';
import { langGraphKeeper } from './langgraph.ts';
import type { TurnPayload } from './payload.ts';
import { messagesOf, Writer } from './payload.ts';
import { fileKeeper, linesKeeper } from './plain-files.ts';
import type { BenchServer } from './server.ts';

/** A project of some size, kept by every contestant that can keep one of that size. */
export interface Scene {
  /** In words, for the table. */
  readonly size: string;
  readonly nodes: number;
  readonly bough: TurnKeeper;
  readonly floor: TurnKeeper;
  readonly peers: readonly Keeper[];
  /** The conversation that every keeper holds; what is appended follows it. */
  readonly conversation: readonly TurnPayload[];
  readonly writer: Writer;
  /** For each keeper by name, once it has stored more. */
  readonly tips: Map<string, string>;
  readonly close: () => Promise<void>;
}

export interface SceneSettings {
  readonly size: string;
  readonly nodes: number;
  /** The length of each path, in turns. */
  readonly pathTurns: number;
  readonly peers: readonly PeerName[];
  readonly scratch: string;
}

export type PeerName = 'langgraph' | 'files' | 'lines';

export async function makeScene(server: BenchServer, settings: SceneSettings): Promise<Scene> {
  const { size, nodes, pathTurns } = settings;
  const schema = `bough_${nodes}`;
  const floorSchema = `floor_${nodes}`;
  const writer = new Writer(nodes);
  const conversation = writer.conversation(null, pathTurns, timeOfTurn);
  const store = await server.openStore(schema);
  const seed = await seedProject(store, conversation);
  const fill = async (): Promise<void> => {
    await multiply(server, schema, { turns: pathTurns, copies: Math.round(nodes / (pathTurns * 2)) - 1 });
    await makeFloorTable(server, floorSchema);
    await copyToFloor(server, schema, floorSchema);
    await makeFloorIndexes(server, floorSchema);
  };
  const [others] = await Promise.all([makePeers(server, settings, conversation), fill()]);
  const floor = await floorKeeper(server, floorSchema, seed.project.id);
  await settle(server);
  return {
    size,
    nodes,
    bough: boughKeeper(server, schema, store, seed),
    floor,
    peers: others.keepers,
    conversation,
    writer,
    tips: new Map(),
    close: () => closeAll(server, [schema, floorSchema], store, [floor.close, ...others.closing]),
  };
}

async function makePeers(
  server: BenchServer,
  { nodes, peers, scratch }: SceneSettings,
  conversation: readonly TurnPayload[],
): Promise<{ readonly keepers: readonly Keeper[]; readonly closing: readonly (() => Promise<void>)[] }> {
  const keepers: Keeper[] = [];
  const closing: (() => Promise<void>)[] = [];
  // Each holds the conversation often enough to be as large as the project.
  const filler = new Writer(1);
  const messages = [
    ...Array.from({ length: Math.round(nodes / (conversation.length * 2)) - 1 }, () =>
      messagesOf(filler.conversation(null, conversation.length)),
    ).flat(),
    ...messagesOf(conversation),
  ];
  for (const peer of peers) {
    if (peer === 'langgraph') {
      const keeper = await langGraphKeeper(server, `langgraph_${nodes}`);
      for (const turn of conversation) await keeper.append(turn);
      keepers.push(keeper);
      closing.push(keeper.close);
    } else {
      const make = peer === 'files' ? fileKeeper : linesKeeper;
      keepers.push(await make(join(scratch, `${peer}_${nodes}`), messages));
    }
  }
  return { keepers, closing };
}

async function closeAll(
  server: BenchServer,
  schemas: readonly string[],
  store: PostgresStore,
  closing: readonly (() => Promise<void>)[],
): Promise<void> {
  await store.close();
  for (const close of closing) await close();
  for (const schema of schemas) await server.query(`DROP SCHEMA ${schema} CASCADE`);
}
