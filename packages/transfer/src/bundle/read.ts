import type { BlobHash, Project, RawResponse } from '@bough/core';
import { isNestedTooDeep, isPlainObject } from '@bough/core';
import type { ProjectRecord, ReadBlob } from '@bough/store';
import { openInside, readInside } from '@bough/store';
import { createHash } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { MalformedError } from '../import/fields.ts';
import type { Found } from '../import/found.ts';
import { readJsonLines } from '../import/json-records/index.ts';
import {
  ANNOTATIONS_FILE,
  BUNDLE_FORMAT,
  BUNDLE_VERSIONS,
  fileOfBlob,
  FILES,
  FOREIGN_FILE,
  MANIFEST,
  rawFile,
} from './layout.ts';
import { projectIn, rawIn, recordsOf } from './records.ts';

export async function isBundle(directory: string): Promise<boolean> {
  return isThere(directory, MANIFEST);
}

/** A bundle as what it was made from. A damaged one is refused as a whole: a bundle promises to be lossless. */
export async function* readBundle(named: string): AsyncGenerator<Found, void> {
  const directory = await realpath(named);
  const path = join(directory, MANIFEST);
  const text = await readInside(directory, MANIFEST, (bytes) => bytes.toString('utf8'));
  const manifest = parsed(text ?? '', path);
  if (!isPlainObject(manifest) || manifest['format'] !== BUNDLE_FORMAT)
    throw new MalformedError(`${path} is not the manifest of a bundle.`);
  const versions: readonly unknown[] = Object.values(BUNDLE_VERSIONS);
  if (!versions.includes(manifest['version'])) {
    throw new MalformedError(
      `This bundle has the version ${String(manifest['version'])}; this program reads ${versions.join(' and ')}.`,
    );
  }
  const project = projectIn(manifest['project'], `${path}, the project`);
  yield {
    type: 'project',
    format: 'bundle',
    title: project.name,
    records: recordsIn(directory, project, manifest['version']),
    held: null,
    files: (hash) => readFile(directory, hash),
    leftOut: [],
    problems: [],
  };
}

async function* recordsIn(directory: string, project: Project, version: unknown): AsyncGenerator<ProjectRecord, void> {
  const read = recordsOf(project);
  const lines = <Value>(file: string, check: (value: unknown, where: string) => Value): AsyncGenerator<Value, void> =>
    linesOf(directory, file, check);
  yield { type: 'project', value: project };
  const { withForeign, withAnnotations } = BUNDLE_VERSIONS;
  const hasForeign = version === withForeign || version === withAnnotations;
  if (hasForeign) for await (const value of lines(FOREIGN_FILE, read.foreign)) yield { type: 'foreign', value };
  for await (const value of lines(FILES.turn, read.turn)) yield { type: 'turn', value };
  for await (const value of lines(FILES.node, read.node)) yield { type: 'node', value };
  for await (const value of lines(FILES.branch, read.branch)) yield { type: 'branch', value };
  for await (const { call, raw } of lines(FILES.call, read.call)) {
    yield { type: 'call', value: call, raw: raw === null ? null : await readRaw(directory, raw) };
  }
  for await (const value of lines(FILES.rendering, read.rendering)) yield { type: 'rendering', value };
  if (version === withAnnotations)
    for await (const value of lines(ANNOTATIONS_FILE, read.annotation)) yield { type: 'annotation', value };
}

const isThere = (directory: string, file: string): Promise<boolean> =>
  lstat(join(directory, file)).then(
    () => true,
    () => false,
  );

async function* linesOf<Value>(
  directory: string,
  file: string,
  check: (value: unknown, where: string) => Value,
): AsyncGenerator<Value, void> {
  const path = join(directory, file);
  const handle = await openInside(directory, file);
  if (handle === null) throw new MalformedError(`${path} is missing.`);
  try {
    for await (const record of readJsonLines(handle.createReadStream({ encoding: 'utf8', autoClose: false }))) {
      const where = `${path}, line ${record.line}`;
      if ('error' in record) throw new MalformedError(`${where}: ${record.error}`);
      yield check(record.value, where);
    }
  } finally {
    await handle.close();
  }
}

/** Whether its bytes are what its name says is checked when they have been read. */
async function readFile(directory: string, hash: BlobHash): Promise<ReadBlob | undefined> {
  const file = fileOfBlob(hash);
  const handle = await openInside(directory, file);
  if (handle === null) return undefined;
  try {
    const { size } = await handle.stat();
    return { size, bytes: bytesOf(directory, file) };
  } finally {
    await handle.close();
  }
}

async function* bytesOf(directory: string, file: string): AsyncGenerator<Uint8Array, void> {
  const handle = await openInside(directory, file);
  if (handle === null) throw new MalformedError(`${join(directory, file)} is missing.`);
  try {
    for await (const bytes of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) yield bytes;
  } finally {
    await handle.close();
  }
}

/** A raw file is named after its content: one that was changed is no longer what the provider sent. */
async function readRaw(directory: string, hash: string): Promise<RawResponse> {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new MalformedError(`"${hash}" does not name a raw response.`);
  const path = join(directory, rawFile(hash));
  const text = await readInside(directory, rawFile(hash), (bytes) => bytes.toString('utf8'));
  if (text === null) throw new MalformedError(`${path} is missing.`);
  if (createHash('sha256').update(text).digest('hex') !== hash) throw new MalformedError(`${path} was changed.`);
  return rawIn(parsed(text, path), path);
}

function parsed(text: string, path: string): unknown {
  if (isNestedTooDeep(text)) throw new MalformedError(`${path} is nested too deep.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new MalformedError(`${path} is not valid JSON.`);
    throw error;
  }
}
