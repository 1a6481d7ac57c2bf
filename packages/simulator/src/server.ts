import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { parseFault } from './faults/index.ts';
import { createFaultDesk } from './faults/orders.ts';
import type { SimulatedProtocol } from './simulated-protocol.ts';
import { SIMULATED_PROTOCOLS } from './protocols/index.ts';
import type { House } from './handle/index.ts';
import { handle } from './handle/index.ts';
import type { LogEntry } from './log/index.ts';
import { createLog } from './log/index.ts';
import { planReply } from './plan/index.ts';
import { createJoinedQuestions } from './plan/joined-questions.ts';
import { createVariations } from './plan/variations.ts';
import { createWorld } from './world/index.ts';

export interface SimulatorOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Decides every id. Without one the simulator takes a random seed. */
  readonly seed?: string;
  /** Decides the signatures; the same at every start unless one is given. */
  readonly signingKey?: string;
  /** Milliseconds between events, so that a person can watch. */
  readonly paceMs?: number;
  readonly protocols?: readonly SimulatedProtocol[];
  /** The keys that are accepted, as a vendor does; without them every key is. */
  readonly keys?: readonly string[];
  readonly now?: () => number;
}

export interface Simulator {
  /** Without a trailing slash. */
  readonly url: string;
  readonly log: () => readonly LogEntry[];
  readonly clearLog: () => void;
  readonly orderFault: (fault: string, model?: string) => void;
  readonly close: () => Promise<void>;
}

/** Starts the simulator on loopback. Nothing outside this machine can reach it. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const log = createLog();
  const house: House = {
    protocols: options.protocols ?? SIMULATED_PROTOCOLS,
    log,
    desk: createFaultDesk(),
    variations: createVariations(),
    joined: createJoinedQuestions(),
    paceMs: options.paceMs ?? 0,
    keys: options.keys ?? null,
    world: createWorld({
      seed: options.seed ?? randomUUID(),
      ...(options.signingKey === undefined ? {} : { signingKey: options.signingKey }),
      plan: planReply,
      note: (entry) => log.add({ path: '', model: null, ...entry }),
      now: options.now ?? Date.now,
    }),
  };
  const running = new Set<Promise<void>>();
  const server = createServer({ noDelay: true }, (request, response) => {
    const work = handle(house, request, response);
    running.add(work);
    void work.finally(() => running.delete(work));
  });
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    log: log.entries,
    clearLog: log.clear,
    orderFault: (fault, model) => house.desk.order(parseFault(fault), model ?? null),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await Promise.all(running);
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
