import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine, Environment } from '@bough/engine';
import { createEngine, createToolBox, DEFAULT_LIMITS, randomIds } from '@bough/engine';
import type { Provider } from '@bough/providers';
import { createProvider, simulatedDeployments, UnknownProviderError } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { FilesStore } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { createConductor } from '../conduct/index.ts';
import type { Gateway } from '../gateway.ts';
import { createGateway } from '../gateway.ts';
import type { RouteRule } from '../route/index.ts';
import { createRouter, createTokens } from '../route/index.ts';

/** A gateway over a store of files, whose providers are the simulator, in this process. */
export interface Stage {
  readonly simulator: Simulator;
  readonly store: FilesStore;
  /** Asks the gateway as a client does. */
  readonly fetch: typeof fetch;
  /** Another server on the same store, that remembers nothing. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const HERE = 'http://gateway.test';

export async function startStage(rules: readonly RouteRule[], seed = 'routes'): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-routes-'));
  const simulator = await startSimulator({ seed });
  const store = await openFilesStore({ directory: dataDir });
  const list = simulatedDeployments(simulator.url).map((deployment) => createProvider(deployment, { key: null }));
  const providers = {
    list: (): readonly Provider[] => list,
    get: (id: string): Provider => {
      const found = list.find(({ deployment }) => deployment.id === id);
      if (found === undefined) throw new UnknownProviderError(id, []);
      return found;
    },
    defaults: () => ({ provider: 'simulated', model: 'sim-thinker' }),
  };
  const open = (): { readonly engine: Engine; readonly gateway: Gateway } => {
    const env: Environment = {
      store,
      providers,
      tools: createToolBox(),
      ids: randomIds,
      now: () => new Date(),
      owner: randomIds.turn(),
      limits: DEFAULT_LIMITS,
      observe: () => undefined,
    };
    const engine = createEngine(env);
    const router = createRouter({
      rules,
      store,
      tokens: createTokens('secret'),
      now: () => new Date(),
      providerOf: (id) => list.find(({ deployment }) => deployment.id === id),
    });
    const hook = createConductor({
      engine,
      store,
      ids: randomIds,
      now: () => new Date(),
      router,
      onUnrecorded: (error) => {
        throw error;
      },
    });
    return { engine, gateway: createGateway({ providers, isToken: null, hook }) };
  };
  let running = open();
  return {
    simulator,
    store,
    fetch: (input, init) => ask(running.gateway, input, init),
    restart: async () => {
      await running.engine.stop(0);
      running = open();
    },
    close: async () => {
      await running.engine.stop(0);
      await store.close();
      await simulator.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function ask(gateway: Gateway, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(input, init);
  const { pathname, search } = new URL(request.url);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const answer = await gateway.handle({
    method: request.method,
    url: `${pathname}${search}`,
    headers: Object.fromEntries(request.headers),
    body: request.method === 'GET' ? null : onePiece(bytes),
    signal: init?.signal ?? new AbortController().signal,
  });
  const { body } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value);
  if (body instanceof Uint8Array)
    return new Response(body as Uint8Array<ArrayBuffer>, { status: answer.status, headers });
  const iterator = body[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
  return new Response(stream as never, { status: answer.status, headers });
}

// eslint-disable-next-line @typescript-eslint/require-await -- bodies are read as streams.
async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
