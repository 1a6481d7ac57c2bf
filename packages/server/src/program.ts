import type { EngineEvent } from '@bough/engine';
import { createBudgets, createEngine, createToolBox, DEFAULT_LIMITS, randomIds } from '@bough/engine';
import { createConductor, offeredTools } from '@bough/gateway';
import type { Store } from '@bough/store';
import { startSimulator } from '@bough/simulator';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createApp } from './app.ts';
import type { Closers } from './closers/index.ts';
import { createClosers } from './closers/index.ts';
import type { Config, EnvironmentVariables } from './config/index.ts';
import { openPageSettings } from './config/index.ts';
import { prepareDataDirectory } from './data-directory/index.ts';
import { systemTrouble } from './data-directory/system-trouble.ts';
import { serveGateway } from './gateway/index.ts';
import { openModes } from './gateway/modes.ts';
import { openRouter } from './gateway/router.ts';
import { openSettings } from './keys/index.ts';
import { checkAddress, listen } from './listen/index.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics/index.ts';
import { openStore } from './open-store.ts';
import { createApprovalSettings } from './page-settings/approval.ts';
import { createBudgetSettings } from './page-settings/budgets.ts';
import { createDeploymentSettings } from './page-settings/deployments.ts';
import { createToolServers } from './page-settings/tool-servers.ts';
import { deploymentsOf } from './providers/deployments.ts';
import { watchStore } from './store-health/index.ts';
import { createTelemetry } from './telemetry/index.ts';
import { createProviderSet } from './providers/index.ts';
import { createSecrets } from './providers/secrets.ts';
import { openScratch } from './scratch/index.ts';
import { orStopped, StoppedError } from './stopped.ts';
import { keepBrought } from './uploads/index.ts';

export interface Program {
  readonly url: string;
  /** Stops admitting, gives running turns their grace period, closes the rest as interrupted, releases everything. */
  readonly stop: () => Promise<{ readonly interrupted: number }>;
}

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
  const scratch = await openScratch(config.dataDir);
  closers.add(scratch.close);
  const simulator = await startSimulator({ paceMs: config.simulatorPaceMs });
  closers.add(simulator.close);
  signal.throwIfAborted();
  const page = openPageSettings(config.dataDir, config.page);
  const deployments = createDeploymentSettings({ config, env, simulatorUrl: simulator.url, page, settings });
  const providers = createProviderSet(
    deployments.registry,
    settings,
    config.file.defaults,
    createSecrets(config.file.secrets, env),
  );
  const toolServers = createToolServers(config, page, log);
  const approval = createApprovalSettings(config, page);
  const tools = createToolBox({
    approval: approval.layers,
    limits: config.file.tools?.timeoutMs === undefined ? {} : { timeoutMs: config.file.tools.timeoutMs },
    sources: toolServers.sources,
  });
  closers.add(toolServers.close);
  toolServers.start();
  const metrics = createMetrics(() => engine.runningTurns());
  const telemetry = createTelemetry(env, (message) => log.error('telemetry', { message }));
  closers.add(telemetry.close);
  const observe = (event: EngineEvent): void => {
    metrics.observe(event);
    telemetry.observe(event);
    if (event.type === 'problem') log.error('problem', { what: event.what, message: event.message });
  };
  const now = (): Date => new Date();
  const budgetSettings = createBudgetSettings(config, page, now);
  const budgets = createBudgets({ store, now, budgets: budgetSettings.current, observe });
  const engine = createEngine({
    store,
    providers,
    tools,
    ids: randomIds,
    now,
    budgets,
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
    keepFile: keepBrought(store.blobs, scratch),
    offeredTools: (call) => offeredTools(store, call),
  });
  let health: 'ok' | 'starting' | 'stopping' = 'starting';
  const trouble = watchStore(store);
  const { whenStoreFails, routes = [] } = config.file.gateway ?? {};
  const modes = await openModes(store, config.file.gateway, (error) =>
    log.error('problem', { what: 'gateway modes', message: error instanceof Error ? error.message : String(error) }),
  );
  closers.add(modes.close);
  const hook = createConductor({
    engine,
    store,
    ids: randomIds,
    now,
    budgets,
    modeOf: modes.of,
    whenStoreFails,
    ...(routes.length === 0 ? {} : { router: await openRouter({ rules: routes, providers, store }) }),
    onUnrecorded: (error) => {
      const message = error instanceof Error ? error.message : String(error);
      metrics.gateway({ type: 'unrecorded', why: 'store', message });
      gateway.noteUnrecorded();
      log.error('gateway', { message });
    },
  });
  const gateway = serveGateway({ config, providers, metrics, telemetry, log, hook });
  const app = createApp(
    {
      config,
      engine,
      store,
      tools,
      providers,
      settings,
      deployments,
      toolServers,
      approval,
      budgets,
      budgetSettings,
      metrics,
      scratch,
      gateway,
      modes,
      storeTrouble: trouble,
      health: () => health,
    },
    log,
  );
  let letGo = async (): Promise<void> => undefined;
  closers.add(() => letGo());
  let interrupted = 0;
  // Together: other clients' streams get the same grace as turns.
  closers.add(async () => {
    const [stopped] = await Promise.all([engine.stop(config.graceMs), gateway.stop(config.graceMs)]);
    ({ interrupted } = stopped);
  });
  await engine.start(config.rounds);
  signal.throwIfAborted();
  const { server, port } = await listen(app.fetch, config, gateway.listener);
  closers.add(() => {
    health = 'stopping';
    // Otherwise a client whose connection is kept alive would send requests to the last.
    server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
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
