import type { Envelope, Project } from '@bough/core';
import { BoughError } from '@bough/core';
import { importProject } from '@bough/engine';
import type { Store } from '@bough/store';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isBundle, readBundle } from '../bundle/read.ts';
import type { ImportProblem } from './conversation.ts';
import { kindOfDirectory, readDirectory } from './directory.ts';
import { MalformedError } from './fields.ts';
import { readFile } from './file.ts';
import type { Found } from './found.ts';
import type { ImportReport } from './report.ts';
import { Tally } from './report.ts';

export type { ImportReport } from './report.ts';

export interface ImportOptions {
  readonly envelope: Envelope;
  /** `stop`: everything is read before anything is written, and the first malformed record ends the import. */
  readonly onError: 'skip' | 'stop';
  readonly onBytes?: (bytes: number) => void;
}

/** A record cannot be read, and the user wants all or nothing. */
export class ImportStoppedError extends BoughError {
  constructor({ where, message }: ImportProblem) {
    super('import_stopped', `${where}: ${message} Nothing was imported.`);
  }
}

export class UnknownSourceError extends BoughError {
  constructor(path: string, problem: string) {
    super('unknown_source', `${path}: ${problem}`);
  }
}

/** Imports whatever is at a path; its content decides what it is. */
export async function importPath(store: Store, path: string, options: ImportOptions): Promise<ImportReport> {
  if (options.onError === 'stop') await pass(null, path, options);
  return pass(store, path, options);
}

/** What an import would bring. Needs no store, and writes nothing anywhere. */
export async function rehearseImport(path: string, options: ImportOptions): Promise<ImportReport> {
  return pass(null, path, options);
}

async function pass(store: Store | null, path: string, options: ImportOptions): Promise<ImportReport> {
  const tally = new Tally();
  const note = (problem: ImportProblem): void => {
    if (options.onError === 'stop') throw new ImportStoppedError(problem);
    tally.problems.push(problem);
  };
  for await (const found of foundAt(path, options)) {
    if (found.type === 'problem') {
      note(found.problem);
      continue;
    }
    found.problems.forEach(note);
    tally.leaveOut(found.leftOut);
    let broken: unknown;
    const records = tally.watch(
      noting(found.records, (error) => {
        broken = error;
      }),
    );
    try {
      if (store === null) await rehearse(records, found.format, tally);
      else {
        const { project, outcome, addedNodes, leftOut } = await importProject(store, records);
        tally.leaveOut(leftOut);
        tally.projects.push({ id: project.id, name: project.name, format: found.format, outcome, addedNodes });
      }
    } catch (error) {
      // A failure of the store is another matter, and a bundle is refused as a whole. From a directory the other
      // projects can still be imported.
      if (!(broken instanceof BoughError) || found.format === 'bundle') throw error;
      note({ where: found.title, message: broken.message });
    }
  }
  return tally.report();
}

/** Remembers that it was the source that failed, whatever error the store makes of it. */
async function* noting<Item>(
  items: AsyncIterable<Item>,
  onError: (error: unknown) => void,
): AsyncGenerator<Item, void> {
  try {
    yield* items;
  } catch (error) {
    onError(error);
    throw error;
  }
}

async function rehearse(records: ReturnType<Tally['watch']>, format: string, tally: Tally): Promise<void> {
  let addedNodes = 0;
  let project: Project | null = null;
  for await (const record of records) {
    if (record.type === 'node') addedNodes += 1;
    if (record.type === 'project') project = record.value;
  }
  if (project === null) throw new MalformedError('It does not begin with its project.');
  tally.projects.push({ id: project.id, name: project.name, format, outcome: 'new', addedNodes });
}

async function* foundAt(named: string, options: ImportOptions): AsyncGenerator<Found, void> {
  // The path itself may be a link: the person named it. Links inside a directory were named by nobody.
  const path = await realpath(named).catch(() => named);
  const found = await lstat(path).catch(() => null);
  if (found === null) throw new UnknownSourceError(named, 'There is no such file or directory.');
  const onBytes = options.onBytes ?? (() => undefined);
  if (found.isFile()) {
    yield* readFile(path, options.envelope, onBytes);
    return;
  }
  if (!found.isDirectory()) throw new UnknownSourceError(named, 'This is neither a file nor a directory.');
  if (await isBundle(path)) {
    yield* readBundle(path);
    return;
  }
  const kind = await kindOfDirectory(path);
  if (kind !== null) {
    yield* readDirectory(path, kind, options.envelope);
    return;
  }
  const inside = join(path, 'conversations.json');
  if ((await lstat(inside).catch(() => null))?.isFile() !== true) {
    throw new UnknownSourceError(
      path,
      'This directory holds neither a bundle, nor conversations.json, nor the data of Loom or ResearchTree.',
    );
  }
  yield* readFile(inside, options.envelope, onBytes);
}
