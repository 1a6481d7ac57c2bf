import type { Envelope } from '@bough/core';
import { projectId } from '@bough/core';
import type { Store } from '@bough/store';
import { openFilesStore, openGitStore } from '@bough/store';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeBundle } from '../bundle/write.ts';
import { importPath, rehearseImport } from './index.ts';

// What other programs keep and Bough has no place for.

const OPTIONS = {
  envelope: {
    provider: 'simulated',
    model: 'sim-1',
    systemPrompt: null,
    tools: [],
    thinking: 'off',
  } satisfies Envelope,
  onError: 'stop',
} as const;

let dir: string;
let store: Store;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-beside-test-'));
  store = await openFilesStore({ directory: join(dir, 'store') });
});
afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const git = (directory: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
    cwd: directory,
    encoding: 'utf8',
  }).trim();

const line = (id: string, parent: string | null, more: object): string =>
  `${JSON.stringify({ id, timestamp: 1, parent, createdOnBranch: 'main', type: 'message', ...more })}\n`;

/** With a canvas, a star, a merge note and a pin that was never committed. */
async function repository(): Promise<string> {
  const directory = join(dir, 'trees', '7c9e6679-7425-40de-944b-e07fc1f90ae7');
  await mkdir(directory, { recursive: true });
  git(directory, 'init', '-q', '-b', 'main');
  const project = { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Trees', createdAt: '2025-01-01T00:00:00.000Z' };
  await writeFile(join(directory, 'project.json'), JSON.stringify(project));
  await writeFile(join(directory, 'stars.json'), '{"starredNodeIds":["n1"]}');
  await writeFile(join(directory, 'artefact.md'), '# Canvas\n');
  await say(directory, line('n1', null, { role: 'user', content: 'Hello', tokensUsed: 3 }));
  await say(directory, line('n2', 'n1', { type: 'merge', mergeFrom: 'idea', mergeSummary: 'x' }));
  await writeFile(join(directory, 'project.json'), JSON.stringify({ ...project, pinnedBranchName: 'main' }));
  return directory;
}

async function say(directory: string, text: string): Promise<void> {
  await writeFile(join(directory, 'nodes.jsonl'), text, { flag: 'a' });
  git(directory, 'add', '.');
  git(directory, 'commit', '-q', '-m', 'more');
}

const BESIDE = { commit: 2, 'token count': 1, merge: 1, 'uncommitted file': 1 };

it('IM-120: what ResearchTree keeps is kept beside the project, and named in the report', async () => {
  const directory = await repository();
  expect((await rehearseImport(directory, OPTIONS)).beside).toStrictEqual(BESIDE);
  const report = await importPath(store, directory, OPTIONS);
  expect(report).toMatchObject({ beside: BESIDE, leftOut: {}, projects: [{ outcome: 'new', addedNodes: 1 }] });
  const id = projectId(report.projects[0]?.id ?? '');
  expect((await store.getBranch(id, 'main')).pinned).toBe(true);
  expect(JSON.stringify(await store.foreignDocuments(id))).toContain('# Canvas');
});

it('IM-121: what it keeps the next time takes the place of that; the same again changes nothing', async () => {
  const directory = await repository();
  const first = await importPath(store, directory, OPTIONS);
  expect(await importPath(store, directory, OPTIONS)).toMatchObject({ projects: [{ outcome: 'unchanged' }] });
  git(directory, 'checkout', '-q', 'project.json');
  await say(directory, line('n3', 'n2', { type: 'state', artefactSnapshot: 'abc' }));
  expect(await importPath(store, directory, OPTIONS)).toMatchObject({
    projects: [{ outcome: 'grown', addedNodes: 0 }],
  });
  const documents = await store.foreignDocuments(projectId(first.projects[0]?.id ?? ''));
  expect(documents.at(-1)?.holds).toMatchObject({ commit: 3, 'state of the canvas': 1 });
});

it('IM-122: Loom’s token counts are those of the calls; bookmarks are bookmarks; the rest is kept beside', async () => {
  const loom = join(dir, 'loom');
  await mkdir(join(loom, 'root-1/nodes'), { recursive: true });
  const metadata = { timestamp: '2025-01-01T00:00:00.000Z', original_root_id: 'root-1' };
  const put = (name: string, node: object): Promise<void> =>
    writeFile(
      join(loom, 'root-1/nodes', `${name}.json`),
      JSON.stringify({ id: `root-1/${name}`, root_id: 'root-1', ...node }),
    );
  await put('node-1', {
    parent_id: 'root-1',
    child_ids: ['root-1/node-2'],
    message: { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    metadata: { ...metadata, source_info: { type: 'user' }, tags: ['first'] },
  });
  const usage = { input_tokens: 11, output_tokens: 7, raw: {} };
  const source = { type: 'model', provider: 'openai', model_name: 'gpt-4o', parameters: { temperature: 1 }, usage };
  await put('node-2', {
    parent_id: 'root-1/node-1',
    child_ids: [],
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    metadata: { ...metadata, source_info: source },
  });
  await writeFile(join(loom, 'roots.json'), '[]');
  await writeFile(
    join(loom, 'config.toml'),
    '[[bookmarks]]\ntitle = "Here"\nrootId = "root-1"\nnodeId = "root-1/node-1"\n',
  );
  const report = await importPath(store, loom, OPTIONS);
  expect(report.beside).toStrictEqual({
    'list of tags': 1,
    'parameters of a reply': 1,
    'token counts of a reply': 1,
  });
  const id = projectId(report.projects[0]?.id ?? '');
  expect(await store.annotations({ projectId: id })).toMatchObject([{ kind: 'bookmark', name: 'Here' }]);
  expect((await store.statistics(id)).calls).toMatchObject([{ model: 'gpt-4o', inputTokens: 11, outputTokens: 7 }]);
  expect(await importPath(store, loom, OPTIONS)).toMatchObject({ projects: [{ outcome: 'unchanged' }] });
});

it('TR-30: a bundle holds the documents of other programs, and is then of version 3 or later', async () => {
  await repository();
  const trees = await openGitStore({ directory: join(dir, 'trees') });
  const [project] = await trees.listProjects();
  if (!project) throw new Error('there is a repository');
  const documents = await trees.foreignDocuments(project.id);
  await writeBundle(trees, project.id, join(dir, 'bundle'));
  await trees.close();
  expect(JSON.parse(await readFile(join(dir, 'bundle/bundle.json'), 'utf8'))).toMatchObject({ version: 4 });
  expect((await importPath(store, join(dir, 'bundle'), OPTIONS)).beside).toStrictEqual(BESIDE);
  expect(await store.foreignDocuments(project.id)).toStrictEqual(documents);
  await writeBundle(store, project.id, join(dir, 'again'));
  for (const name of ['bundle.json', 'foreign.jsonl', 'nodes.jsonl'])
    expect(await readFile(join(dir, 'again', name), 'utf8')).toBe(await readFile(join(dir, 'bundle', name), 'utf8'));
  // As a repository again, with its own commits.
  const back = await openGitStore({ directory: join(dir, 'back') });
  await importPath(back, join(dir, 'bundle'), OPTIONS);
  await back.close();
  const head = git(join(dir, 'trees', project.id), 'rev-parse', 'main');
  expect(git(join(dir, 'back', project.id), 'rev-parse', 'main')).toBe(head);
  await rm(join(dir, 'bundle/foreign.jsonl'));
  await expect(importPath(store, join(dir, 'bundle'), OPTIONS)).rejects.toThrow('foreign.jsonl is missing');
});

it('TR-151: a bundle holds what is kept beside messages, is then of version 4, and is refused if that is damaged', async () => {
  await repository();
  const trees = await openGitStore({ directory: join(dir, 'trees') });
  const [project] = await trees.listProjects();
  if (!project) throw new Error('there is a repository');
  const [star] = await trees.annotations({});
  if (!star) throw new Error('it has a star');
  const verdict = { ...star, kind: 'verdict', name: 'c', text: 'why', verdict: 'better', blind: true } as const;
  await trees.annotate(project.id, { put: [verdict, { ...star, kind: 'note', text: 'Ä\n\u0000' }], remove: [] });
  const wanted = await trees.annotations({});
  await writeBundle(trees, project.id, join(dir, 'noted'));
  await trees.close();
  expect(JSON.parse(await readFile(join(dir, 'noted/bundle.json'), 'utf8'))).toMatchObject({ version: 4 });
  await importPath(store, join(dir, 'noted'), OPTIONS);
  expect(await store.annotations({ projectId: project.id })).toStrictEqual(wanted);
  const lines = await readFile(join(dir, 'noted/annotations.jsonl'), 'utf8');
  await writeFile(join(dir, 'noted/annotations.jsonl'), lines.replace('"better"', '"best"'));
  await expect(importPath(store, join(dir, 'noted'), OPTIONS)).rejects.toThrow('verdict');
});
