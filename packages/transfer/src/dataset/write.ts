import type { Annotation, BlobHash, NodeId, Project, StoredFile } from '@bough/core';
import { inAnnotationOrder, isPlainObject, VERSION } from '@bough/core';
import type { Store } from '@bough/store';
import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE, writeBlob, writeDirectory } from '../whole-directory.ts';
import { dataFile, DATASET_FORMAT, DATASET_MANIFEST, DATASET_NAMES, DATASET_VERSION, RECORDS_FILE } from './layout.ts';
import { fileAt, takesFiles } from './messages.ts';
import type { DatasetOptions } from './options.ts';
import { Tally } from './options.ts';
import { createParquetEncoder } from './parquet.ts';
import { besideNodes } from './plan.ts';
import type { Sample } from './samples.ts';
import { prefixHash, samplesOf } from './samples.ts';
import { rowOf } from './shapes.ts';

export interface DatasetCount {
  readonly records: number;
  readonly leftOut: {
    /** What would have been records, by the reason why they are none. */
    readonly records: Readonly<Record<string, number>>;
    /** Pieces of messages, each once, by the reason. */
    readonly parts: Readonly<Record<string, number>>;
  };
}

export interface DatasetReport extends DatasetCount {
  readonly directory: string;
  /** How many files of messages lie beside the data. */
  readonly files: number;
}

/** How many records there would be, and what would be left out: everything is read, and nothing is written. */
export async function countDataset(
  store: Store,
  projects: readonly Project[],
  options: DatasetOptions,
  onRecord: (count: number) => void = () => undefined,
): Promise<DatasetCount> {
  const tally = new Tally();
  let records = 0;
  for await (const { sample } of recordsOf(store, projects, options, tally)) {
    rowOf(options.shape, sample, tally);
    onRecord((records += 1));
  }
  return { records, leftOut: { records: tally.records(), parts: tally.parts() } };
}

/** Writes a dataset as plain files. */
export async function writeDataset(
  store: Store,
  projects: readonly Project[],
  directory: string,
  options: DatasetOptions,
  onRecord: (count: number) => void = () => undefined,
): Promise<DatasetReport> {
  const isOlder = async (entries: readonly string[]): Promise<boolean> =>
    entries.every((name) => DATASET_NAMES.has(name)) && (await isDataset(directory));
  const report = await writeDirectory(directory, isOlder, (draft) => fill(store, projects, draft, options, onRecord));
  return { directory, ...report };
}

async function isDataset(directory: string): Promise<boolean> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(directory, DATASET_MANIFEST), 'utf8'));
    return isPlainObject(manifest) && manifest['format'] === DATASET_FORMAT;
  } catch {
    return false;
  }
}

async function* recordsOf(
  store: Store,
  projects: readonly Project[],
  options: DatasetOptions,
  tally: Tally,
): AsyncGenerator<{ readonly sample: Sample; readonly beside: ReadonlyMap<NodeId, readonly Annotation[]> }, void> {
  for (const project of projects) {
    const annotations = (await store.annotations({ projectId: project.id })).toSorted(inAnnotationOrder);
    const beside = besideNodes(annotations);
    for await (const sample of samplesOf(store, project, annotations, options, tally)) {
      if (takesFiles(options) && !(await areStored(store, sample))) tally.record('file_missing');
      else yield { sample, beside };
    }
  }
}

async function areStored(store: Store, { project, files }: Sample): Promise<boolean> {
  const hashes = [...new Set(files.map(({ hash }) => hash))];
  return hashes.length === 0 || (await store.blobs.has(project, hashes)).size === hashes.length;
}

async function fill(
  store: Store,
  projects: readonly Project[],
  directory: string,
  options: DatasetOptions,
  onRecord: (count: number) => void,
): Promise<Omit<DatasetReport, 'directory'>> {
  const { shape, format } = options;
  const tally = new Tally();
  const files = new Map<BlobHash, StoredFile>();
  const data = await createFile(directory, dataFile(format));
  const records = await createFile(directory, RECORDS_FILE);
  const parquet = format === 'parquet' ? createParquetEncoder(shape, takesFiles(options), `bough ${VERSION}`) : null;
  let count = 0;
  try {
    for await (const { sample, beside } of recordsOf(store, projects, options, tally)) {
      const row = rowOf(shape, sample, tally);
      const line = JSON.stringify(row);
      const written = parquet === null ? `${line}\n` : parquet.add(row, line.length);
      if (written !== null) await data.write(written);
      const entry = { record: count, sha256: sha256(line), ...entryOf(sample, options, beside) };
      await records.write(`${JSON.stringify(entry)}\n`);
      for (const file of sample.files) {
        if (files.has(file.hash)) continue;
        files.set(file.hash, file);
        await writeBlob(store, sample.project, file.hash, join(directory, fileAt(file.hash)));
      }
      onRecord((count += 1));
    }
    if (parquet !== null) await data.write(parquet.end());
  } finally {
    await data.close();
    await records.close();
  }
  const leftOut = { records: tally.records(), parts: tally.parts() };
  const { definitions: _, ...asked } = options;
  const manifest = {
    format: DATASET_FORMAT,
    version: DATASET_VERSION,
    bough: VERSION,
    options: asked,
    projects: projects.map(({ id, name }) => ({ id, name })),
    records: count,
    leftOut,
    data: data.facts(),
    list: records.facts(),
    files: [...files.values()]
      .map(({ hash, mediaType, size }) => ({ path: fileAt(hash), mediaType, size }))
      .sort(byPath),
  };
  await writeFile(join(directory, DATASET_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, PRIVATE);
  return { records: count, leftOut, files: files.size };
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1);

/** What a record was made of: by this it can be found again, and its prompt can be proven. */
function entryOf(
  { project, prompt, reply, rejected, models, comparisons }: Sample,
  { shape, notes }: DatasetOptions,
  beside: ReadonlyMap<NodeId, readonly Annotation[]>,
) {
  const isPair = shape === 'preference';
  const given = [...prompt.nodes, ...reply.nodes, ...(rejected?.nodes ?? [])].flatMap((id) => beside.get(id) ?? []);
  const words = given
    .filter(({ text }) => text !== '')
    .map(({ nodeId, kind, verdict, text }) => ({ nodeId, kind, ...(verdict !== undefined && { verdict }), text }));
  return {
    project,
    prompt: { nodes: prompt.nodes, messages: prompt.messages.length, sha256: prefixHash(prompt.messages) },
    [isPair ? 'chosen' : 'reply']: { nodes: reply.nodes, model: models.reply },
    ...(rejected !== null && { rejected: { nodes: rejected.nodes, model: models.rejected }, comparisons }),
    ...(notes && { notes: words }),
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function createFile(directory: string, path: string) {
  const handle: FileHandle = await open(join(directory, path), 'w', PRIVATE.mode);
  const hash: Hash = createHash('sha256');
  let size = 0;
  return {
    write: async (piece: string | Uint8Array): Promise<void> => {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      hash.update(bytes);
      size += bytes.length;
      await handle.writeFile(bytes);
    },
    close: () => handle.close(),
    facts: () => ({ path, size, sha256: hash.copy().digest('hex') }),
  };
}
