import type { ContentBlock, Envelope, ProjectId, TreeNode } from '@bough/core';
import { projectId } from '@bough/core';
import type { Engine } from '@bough/engine';
import { createEngine, createToolBox, DEFAULT_LIMITS, randomIds } from '@bough/engine';
import type { Deployment } from '@bough/providers';
import { BUILT_IN_DEPLOYMENTS, createProvider } from '@bough/providers';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FollowOptions } from '../../follow.ts';
import { followPath } from '../../follow.ts';
import type { ImportOptions } from '../../index.ts';
import { importPath } from '../../index.ts';
import type { ImportReport } from '../../report.ts';

type Json = Readonly<Record<string, unknown>>;

export const ENVELOPE: Envelope = {
  provider: 'simulated',
  model: 'sim-thinker',
  systemPrompt: null,
  tools: [],
  thinking: 'medium',
};

/** The vendors' own deployments, served by a simulator that signs and checks as they do. */
export interface SessionStage {
  readonly directory: string;
  readonly store: Store;
  readonly simulator: Simulator;
  /** Asks a vendor, as a client does, without streaming. */
  readonly ask: (path: string, body: Json) => Promise<Json>;
  /** Writes records as lines, below the directory. */
  readonly write: (name: string, records: readonly unknown[], end?: string) => Promise<string>;
  readonly load: (path: string, more?: Partial<ImportOptions>) => Promise<ImportReport>;
  readonly follow: (
    path: string,
    more: Partial<FollowOptions> & Pick<FollowOptions, 'signal'>,
  ) => Promise<ImportReport>;
  readonly path: (report: ImportReport, branch?: string) => Promise<readonly TreeNode[]>;
  readonly pathIn: (project: ProjectId, branch?: string) => Promise<readonly TreeNode[]>;
  /** Sends the next message on a branch; how the turn ended, and reasoning that the provider would have taken back. */
  readonly goOn: (
    report: ImportReport,
    branch?: string,
  ) => Promise<{ readonly status: string; readonly kinds: readonly string[]; readonly withheld: number }>;
  readonly close: () => Promise<void>;
}

export async function sessionStage(): Promise<SessionStage> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-sessions-'));
  const store = await openFilesStore({ directory: join(directory, 'store') });
  const simulator = await startSimulator({ seed: 'sessions' });
  const deployments = BUILT_IN_DEPLOYMENTS.map((deployment): Deployment => ({
    ...deployment,
    baseUrl: `${simulator.url}${deployment.baseUrl.replace(/^https?:\/\/[^/]+/, '')}`,
  }));
  const options = { envelope: ENVELOPE, onError: 'stop', deployments } as const;
  return {
    directory,
    store,
    simulator,
    ask: async (path, body) => {
      const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'key' };
      const response = await fetch(`${simulator.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer as Json;
    },
    write: async (name, records, end = '\n') => {
      const path = join(directory, 'clients', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `${records.map((record) => JSON.stringify(record)).join('\n')}${end}`);
      return path;
    },
    load: (path, more) => importPath(store, path, { ...options, ...more }),
    follow: (path, more) => followPath(store, path, { ...options, pollMs: 20, quietMs: 200, ...more }),
    path: (report, branch = 'main') => pathOf(store, idOf(report), branch),
    pathIn: (project, branch = 'main') => pathOf(store, project, branch),
    goOn: async (report, branch = 'main') => {
      const engine = engineOn(store, deployments);
      const project = idOf(report);
      simulator.clearLog();
      const { turn } = await engine.chat(project, { ref: branch, message: 'And now? /sim tools none' });
      for await (const lines of engine.watch(project, turn.id, 0, new AbortController().signal)) void lines;
      await engine.stop(0);
      const log = simulator.log();
      return {
        status: (await store.getTurn(project, turn.id)).status,
        kinds: [...new Set(log.map(({ kind }) => kind))],
        withheld: log.reduce((sum, { withheld }) => sum + (withheld?.length ?? 0), 0),
      };
    },
    close: async () => {
      await store.close();
      await simulator.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const idOf = (report: ImportReport): ProjectId => projectId(report.projects[0]?.id ?? '');

async function pathOf(store: Store, project: ProjectId, branch: string): Promise<readonly TreeNode[]> {
  const { tipId } = await store.getBranch(project, branch);
  return tipId === null ? [] : store.path(project, tipId);
}

function engineOn(store: Store, deployments: readonly Deployment[]): Engine {
  const providers = deployments.map((deployment) => createProvider(deployment, { key: 'key' }));
  return createEngine({
    store,
    providers: {
      get: (id) => {
        const found = providers.find(({ deployment }) => deployment.id === id);
        if (found === undefined) throw new Error(`There is no provider "${id}".`);
        return found;
      },
      list: () => providers,
      defaults: () => ({ provider: 'anthropic', model: 'claude-opus-4-6' }),
    },
    tools: createToolBox({ approval: { '*': 'auto' }, sources: [] }),
    ids: randomIds,
    now: () => new Date(),
    owner: 'test',
    limits: DEFAULT_LIMITS,
    observe: () => undefined,
  });
}

/** A path in short: who said what kind of blocks. */
export const outline = (path: readonly TreeNode[]): readonly string[] =>
  path.map(({ role, contentBlocks }) => `${role}: ${contentBlocks.map(blockName).join(' ')}`);

function blockName(block: ContentBlock): string {
  if (block.type === 'text') return `"${String(block['text']).slice(0, 24)}"`;
  return block.type === 'tool-use' ? `call ${String(block['name'])}` : block.type;
}

export const READ_TOOL = { type: 'object', properties: { path: { type: 'string' } } } as const;
