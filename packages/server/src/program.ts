import { serve } from '@hono/node-server';
import type { EngineEvent, McpServerConfig } from '@bough/engine';
import { createEngine, createToolBox, DEFAULT_LIMITS, McpSource, randomIds } from '@bough/engine';
import { createDeployments } from '@bough/providers';
import { startSimulator } from '@bough/simulator';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Server } from 'node:http';
import { createApp } from './app.ts';
import type { Config, EnvironmentVariables } from './config/index.ts';
import { SettingError } from './config/index.ts';
import { openSettings } from './keys/index.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics/index.ts';
import { openStore } from './open-store.ts';
import { watchStore } from './store-health/index.ts';
import { createTelemetry } from './telemetry/index.ts';
import { createProviderSet } from './providers/index.ts';

export interface Program {
  readonly url: string;
  /** Stops admitting, gives running turns their grace, closes what is left as interrupted, lets everything go. */
  readonly stop: () => Promise<{ readonly interrupted: number }>;
}

/** Milliseconds between the events of the simulated provider, so that a person can watch it think. */
const SIMULATED_PACE_MS = 12;

/** Puts the parts together and serves them. */
export async function startProgram(config: Config, env: EnvironmentVariables, log: Log): Promise<Program> {
  const settings = openSettings(config.dataDir);
  const isOnDisk = config.store !== 'postgres' || config.databaseUrl === null;
  const { store, trouble } = watchStore(await openStore(config), isOnDisk ? config.dataDir : null);
  const simulator = await startSimulator({ paceMs: Number(env['BOUGH_SIMULATOR_PACE_MS'] ?? SIMULATED_PACE_MS) });
  const deployments = createDeployments({ env, providers: config.file.providers, simulatorUrl: simulator.url });
  const providers = createProviderSet(deployments, settings, config.file.defaults);
  const sources = Object.entries(config.file.mcpServers ?? {}).map(
    ([name, server]) =>
      new McpSource(name, server as McpServerConfig, {
        onProblem: (_, message) => log.error('mcp', { server: name, message }),
      }),
  );
  // In the background: a tool server that is slow to start must not keep the program from starting.
  const connecting = Promise.all(sources.map((source) => source.start()));
  const tools = createToolBox({
    approval: config.file.tools?.approval ?? {},
    limits: config.file.tools?.timeoutMs === undefined ? {} : { timeoutMs: config.file.tools.timeoutMs },
    sources,
  });
  const metrics = createMetrics(() => engine.runningTurns());
  const telemetry = createTelemetry(env, (message) => log.error('telemetry', { message }));
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
      // A store that one process holds alone: nobody can take its turns by mistake, and each renewal is a write to its disk.
      ...(config.store === 'postgres' ? {} : { heartbeatMs: 2_000 }),
      maxCallsPerTurn: config.file.limits?.maxCallsPerTurn ?? DEFAULT_LIMITS.maxCallsPerTurn,
      thinkingCapBytes: config.file.limits?.thinkingCapBytes ?? DEFAULT_LIMITS.thinkingCapBytes,
      keepRaw: config.file.keepRaw ?? DEFAULT_LIMITS.keepRaw,
    },
    observe,
  });
  let health: 'ok' | 'starting' | 'stopping' = 'starting';
  const app = createApp(
    { config, engine, store, tools, providers, settings, metrics, storeTrouble: trouble, health: () => health },
    log,
  );
  await engine.start();
  const { server, port } = await listen(app.fetch, config);
  health = 'ok';
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    stop: async () => {
      health = 'stopping';
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      const outcome = await engine.stop(config.graceMs);
      // Watchers have been told the end; whoever still holds a connection open is let go.
      server.closeAllConnections();
      await closed;
      await connecting;
      await tools.close();
      await telemetry.close();
      await simulator.close();
      await store.close();
      return outcome;
    },
  };
}

async function listen(
  fetch: Parameters<typeof serve>[0]['fetch'],
  config: Config,
): Promise<{ readonly server: Server; readonly port: number }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: config.host, port: config.port }, ({ port }) =>
      resolve({ server: server as Server, port }),
    );
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new SettingError(
              'PORT',
              `${config.port} is in use. Stop the other program, or set PORT to another number.`,
              { cause: error },
            )
          : error,
      );
    });
  });
}

export function defaultWebDir(distDir: string): string {
  return join(distDir, '..', '..', 'web', 'dist');
}
