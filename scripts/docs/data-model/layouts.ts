import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { projectId } from '@bough/core';
import type { ProjectRecord, Store } from '@bough/store';
import { openFilesStore, openGitStore, openPostgresStore } from '@bough/store';
import { writeBundle } from '../../../packages/transfer/src/bundle/write.ts';
import { startTestServer } from '../../../packages/store/src/postgres/testing/server.ts';
import { readable, withoutNoise } from '../readable.ts';
import type { Examples } from '../replay/show.ts';

// The same project in each store, and what is on the disk or in the tables afterwards.

async function inDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-docs-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function* stream(records: readonly ProjectRecord[]): AsyncIterable<ProjectRecord> {
  yield* records;
}

async function fill(store: Store, records: readonly ProjectRecord[]): Promise<void> {
  try {
    await store.importProject(stream(records));
  } finally {
    await store.close();
  }
}

/** The files below a directory, one per line. */
async function listing(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files
    .map((file) => relative(directory, file))
    .toSorted()
    .join('\n');
}

const parsed = (text: string): string => readable(JSON.parse(text));

export function filesExamples(records: readonly ProjectRecord[]): Promise<Examples> {
  return inDirectory(async (directory) => {
    await fill(await openFilesStore({ directory }), records);
    return new Map([
      ['files/layout', await listing(directory)],
      ['files/node', parsed(await readFile(join(directory, 'p1/nodes/n2.json'), 'utf8'))],
    ]);
  });
}

const run = promisify(execFile);

export function gitExamples(records: readonly ProjectRecord[]): Promise<Examples> {
  return inDirectory(async (directory) => {
    await fill(await openGitStore({ directory }), records);
    const [name] = (await readdir(directory)).filter((entry) => !entry.startsWith('.'));
    const git = async (...args: readonly string[]): Promise<string> =>
      (await run('git', ['-C', join(directory, name ?? ''), ...args])).stdout.trim();
    const lines = (await git('show', 'refs/heads/main:nodes.jsonl')).split('\n');
    return new Map([
      ['git/refs', await git('for-each-ref', '--format=%(refname)')],
      ['git/branch', await git('ls-tree', '-r', '--name-only', 'refs/heads/main')],
      ['git/meta', await git('ls-tree', '-r', '--name-only', 'refs/bough/meta')],
      ['git/node', parsed(lines[1] ?? '')],
    ]);
  });
}

export async function postgresExamples(records: readonly ProjectRecord[]): Promise<Examples> {
  const server = await startTestServer();
  try {
    const schema = 'bough_docs';
    await fill(await openPostgresStore(server.options(schema)), records);
    const columns = await server.query(
      `SELECT table_name AS name, string_agg(column_name::text, ', ' ORDER BY ordinal_position) AS columns
        FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_schema = '${schema}' AND table_type = 'BASE TABLE' GROUP BY table_name ORDER BY table_name`,
    );
    const views = await server.query(
      `SELECT table_name AS name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position) AS columns
        FROM information_schema.columns JOIN information_schema.views USING (table_schema, table_name)
        WHERE table_schema = '${schema}' AND data_type IN ('jsonb', 'date', 'timestamp with time zone')
        GROUP BY table_name ORDER BY table_name`,
    );
    const [node] = await server.query(`SELECT * FROM nodes WHERE id = 'n2'`, schema);
    const blocks = JSON.stringify(withoutNoise(JSON.parse(String(node?.['content_blocks']))));
    const line = (one: Readonly<Record<string, unknown>>): string =>
      `${String(one['name'])}: ${String(one['columns'])}`;
    return new Map([
      ['postgres/tables', columns.map(line).join('\n')],
      ['postgres/views', views.map(line).join('\n')],
      ['postgres/node', readable({ ...node, content_blocks: blocks })],
    ]);
  } finally {
    await server.dispose();
  }
}

export function bundleExamples(records: readonly ProjectRecord[]): Promise<Examples> {
  return inDirectory(async (directory) => {
    const store = await openFilesStore({ directory: join(directory, 'store') });
    try {
      await store.importProject(stream(records));
      const bundle = join(directory, 'bundle');
      await writeBundle(store, projectId('p1'), bundle);
      const lines = async (file: string): Promise<readonly string[]> =>
        (await readFile(join(bundle, file), 'utf8')).trim().split('\n');
      return new Map([
        ['bundle/layout', await listing(bundle)],
        ['bundle/node', parsed((await lines('nodes.jsonl'))[1] ?? '')],
        ['bundle/call', parsed((await lines('calls.jsonl'))[0] ?? '')],
      ]);
    } finally {
      await store.close();
    }
  });
}
