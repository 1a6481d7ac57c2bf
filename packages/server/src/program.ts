import type { EngineEvent, McpServerConfig } from '@bough/engine';
import { createEngine, createToolBox, DEFAULT_LIMITS, McpSource, randomIds } from '@bough/engine';
import type { Store } from '@bough/store';
import { startSimulator } from '@bough/simulator';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createApp } from './app.ts';
import type { Closers } from './closers/index.ts';
import { createClosers } from './closers/index.ts';
import type { Config, EnvironmentVariables } from './config/index.ts';
import { prepareDataDirectory } from './data-directory/index.ts';
import { systemTrouble } from './data-directory/system-trouble.ts';
import { openSettings } from './keys/index.ts';
import { checkAddress, listen } from './listen/index.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics/index.ts';
import { openStore } from './open-store.ts';
import { deploymentsOf } from './providers/deployments.ts';
import { watchStore } from './store-health/index.ts';
import { createTelemetry } from './telemetry/index.ts';
import { createProviderSet } from './providers/index.ts';
import { orStopped, StoppedError } from './stopped.ts';

export interface Program {
  readonly url: string;
  /** Stops admitting, gives running turns their grace period, closes the rest as interrupted, releases everything. */
  readonly stop: () => Promise<{ readonly interrupted: number }>;
}

/** Milliseconds between the events of the simulated provider, so that a person can watch it think. */
const SIMULATED_PACE_MS = 12;

/**
 * Assembles the parts and serves them. If anything fails, or `signal` aborts, what was opened is closed in reverse
 * order, so that no lock, port, process or timer outlives a start that did not succeed.
 */
export async function startProgram(
  config: Config,
  env: EnvironmentVariables,
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): Promise<Program> {
  const closers = createClosers();
  try {
    return await start(config, env, log, { signal, closers });
  } catch (error) {
    await closers.closeAll().catch((failed: unknown) => log.error('close', { message: String(failed) }));
    throw signal.aborted ? new StoppedError() : (systemTrouble(error) ?? error);
  }
}

async function start(
  config: Config,
  env: EnvironmentVariables,
  log: Log,
  { signal, closers }: { readonly signal: AbortSignal; readonly closers: Closers },
): Promise<Program> {
  // What can be refused without opening anything comes first.
  deploymentsOf(config, env);
  await checkAddress(config);
  prepareDataDirectory(config.dataDir);
  const settings = openSettings(config.dataDir);
  const store = await openStoreUnlessStopped(config, signal);
  closers.add(store.close);
  const simulator = await startSimulator({ paceMs: Number(env['BOUGH_SIMULATOR_PACE_MS'] ?? SIMULATED_PACE_MS) });
  closers.add(simulator.close);
  signal.throwIfAborted();
  const providers = createProviderSet(deploymentsOf(config, env, simulator.url), settings, config.file.defaults);
  const sources = Object.entries(config.file.mcpServers ?? {}).map(
    ([name, server]) =>
      new McpSource(name, server as McpServerConfig, {
        onProblem: (_, message) => log.error('mcp', { server: name, message }),
      }),
  );
  const tools = createToolBox({
    approval: config.file.tools?.approval ?? {},
    limits: config.file.tools?.timeoutMs === undefined ? {} : { timeoutMs: config.file.tools.timeoutMs },
    sources,
  });
  closers.add(tools.close);
  // In the background: a tool server that is slow to start must not keep the program from starting.
  for (const source of sources) source.start();
  const metrics = createMetrics(() => engine.runningTurns());
  const telemetry = createTelemetry(env, (message) => log.error('telemetry', { message }));
  closers.add(telemetry.close);
  const observe = (event: EngineEvent): void => {
    metrics.observe(event);
    telemetry.observe(event);
    if (event.type === 'problem') log.error('problem', { what: event.what, message: event.message });
  };
  const engine = createEngine({
    store,
    providers,
    tools,
    ids: randomIds,
    now: () => new Date(),
    owner: randomUUID(),
    limits: {
      ...DEFAULT_LIMITS,
      // One process holds this store alone: nobody can take its turns by mistake, and each renewal is a write to its
      // disk.
      ...(config.store === 'postgres' ? {} : { heartbeatMs: 2_000 }),
      maxCallsPerTurn: config.file.limits?.maxCallsPerTurn ?? DEFAULT_LIMITS.maxCallsPerTurn,
      thinkingCapBytes: config.file.limits?.thinkingCapBytes ?? DEFAULT_LIMITS.thinkingCapBytes,
      keepRaw: config.file.keepRaw ?? DEFAULT_LIMITS.keepRaw,
    },
    observe,
  });
  let health: 'ok' | 'starting' | 'stopping' = 'starting';
  const trouble = watchStore(store);
  const app = createApp(
    { config, engine, store, tools, providers, settings, metrics, storeTrouble: trouble, health: () => health },
    log,
  );
  let letGo = async (): Promise<void> => undefined;
  closers.add(() => letGo());
  let interrupted = 0;
  closers.add(async () => ({ interrupted } = await engine.stop(config.graceMs)));
  await engine.start();
  signal.throwIfAborted();
  const { server, port } = await listen(app.fetch, config);
  closers.add(() => {
    health = 'stopping';
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    // Once the engine has stopped, watchers have been told the end; connections that are still open are cut.
    letGo = async () => {
      server.closeAllConnections();
      await closed;
    };
  });
  signal.throwIfAborted();
  health = 'ok';
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    stop: async () => {
      await closers.closeAll();
      return { interrupted };
    },
  };
}

/**
 * An external database that does not answer is not waited for once the start is to stop. Our own is: leaving midway
 * would leave its processes behind.
 */
async function openStoreUnlessStopped(config: Config, signal: AbortSignal): Promise<Store> {
  signal.throwIfAborted();
  const opening = openStore(config);
  if (config.store !== 'postgres' || config.databaseUrl === null) return opening;
  return orStopped(opening, signal, (store) => store.close());
}

export function defaultWebDir(distDir: string): string {
  return join(distDir, '..', '..', 'web', 'dist');
}
