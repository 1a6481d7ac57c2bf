import type { Envelope, Project, TreeNode, Turn } from '@bough/core';
import { projectId } from '@bough/core';
import type { Store } from '@bough/store';
import { openFilesStore, verifyStore } from '@bough/store';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { ImportOptions } from '../index.ts';
import { importPath } from '../index.ts';
import type { ImportReport } from '../report.ts';

export const ENVELOPE: Envelope = { provider: 'simulated', model: 'm', systemPrompt: null, tools: [], thinking: 'off' };

/** A project as a test looks at it: everything that a person would find again. */
export interface Imported {
  readonly report: ImportReport;
  readonly project: Project;
  /** The shown path, one line for each block: `role (flags) type: words`. */
  readonly main: readonly string[];
  /** The last line of every other branch. */
  readonly others: readonly string[];
  readonly nodes: readonly TreeNode[];
  readonly turns: readonly Turn[];
}

/** A store and a directory of its own for every test of a file. */
export function useImports() {
  let dir = '';
  let store: Store;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'bough-exports-'));
    store = await openFilesStore({ directory: join(dir, 'store') });
  });
  afterEach(async () => {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });

  const file = async (name: string, content: unknown): Promise<string> => {
    const path = join(dir, name);
    await mkdir(dirname(path), { recursive: true });
    const isBytes = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(path, isBytes ? content : JSON.stringify(content));
    return path;
  };
  const load = async (path: string, more: Partial<ImportOptions> = {}): Promise<ImportReport> => {
    const report = await importPath(store, path, { envelope: ENVELOPE, onError: 'stop', ...more });
    expect((await verifyStore(store)).findings).toEqual([]);
    return report;
  };
  const look = async (report: ImportReport, index = 0): Promise<Imported> => {
    const id = projectId(report.projects[index]?.id ?? '');
    const branches = await store.listBranches(id);
    const pathOf = async (tip: TreeNode['id'] | null | undefined) => (tip == null ? [] : store.path(id, tip));
    const nodes = await pathOf(branches.find(({ name }) => name === 'main')?.tipId);
    const others = await Promise.all(
      branches
        .filter(({ name }) => name !== 'main')
        .map(async ({ tipId }) => linesOf((await pathOf(tipId)).slice(-1)).at(-1) ?? ''),
    );
    const turnIds = [...new Set(nodes.flatMap(({ turnId }) => turnId ?? []))];
    const turns = await Promise.all(turnIds.map((turn) => store.getTurn(id, turn)));
    const project = await store.getProject(id);
    return { report, project, main: linesOf(nodes), others: others.toSorted(), nodes, turns };
  };
  return {
    dir: () => dir,
    store: () => store,
    file,
    load,
    look,
    /** Imports a file with this content and looks at its first project. */
    bring: async (name: string, content: unknown, more: Partial<ImportOptions> = {}): Promise<Imported> =>
      look(await load(await file(name, content), more)),
  };
}

/** What JSON lines hold, one value each. */
export const linesFrom = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join('\n');

function linesOf(nodes: readonly TreeNode[]): readonly string[] {
  return nodes.flatMap(({ role, contentBlocks, isError, interrupted, modelUsed }) =>
    contentBlocks.map((block) => {
      const fields = block as Readonly<Record<string, unknown>>;
      const words = fields['text'] ?? fields['thinking'] ?? fields['parameters'] ?? fields['name'] ?? '';
      const flags = `${isError ? ' error' : ''}${interrupted ? ' stopped' : ''}`;
      const maker = modelUsed === null ? '' : ` (${modelUsed})`;
      return `${role}${maker}${flags} ${block.type}: ${typeof words === 'string' ? words : JSON.stringify(words)}`;
    }),
  );
}
