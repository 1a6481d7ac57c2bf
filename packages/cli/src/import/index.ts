import type { Envelope } from '@bough/core';
import { BoughError } from '@bough/core';
import type { Store } from '@bough/store';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isBundle, readBundle } from '../export/bundle/read.ts';
import { arrive } from './arrive.ts';
import type { ImportProblem } from './conversation.ts';
import { kindOfDirectory, readDirectory } from './directory.ts';
import { readFile } from './file.ts';
import type { Found } from './found.ts';
import type { ImportReport } from './report.ts';
import { Tally } from './report.ts';

export { reportText } from './report.ts';

export interface ImportOptions {
  readonly envelope: Envelope;
  /** `stop`: everything is read before anything is written, and the first malformed record ends it. */
  readonly onError: 'skip' | 'stop';
  readonly dryRun?: boolean;
  readonly onBytes?: (bytes: number) => void;
}

/** A record cannot be read, and the user wants all or nothing. */
export class ImportStoppedError extends BoughError {
  constructor({ where, message }: ImportProblem) {
    super('import_stopped', `${where}: ${message} Nothing was imported. With --on-error skip the rest is.`);
  }
}

export class UnknownSourceError extends BoughError {
  constructor(path: string, problem: string) {
    super('unknown_source', `${path}: ${problem}`);
  }
}

/** Imports whatever is at a path; what it is, its content tells. */
export async function importPath(store: Store, path: string, options: ImportOptions): Promise<ImportReport> {
  if (options.onError === 'stop' || options.dryRun === true) {
    const rehearsal = await pass(null, path, options);
    if (options.dryRun === true) return rehearsal;
  }
  return pass(store, path, options);
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
    const records = tally.watch(found.records);
    if (store === null) {
      await rehearse(records, found.format, tally);
      continue;
    }
    const { project, outcome, addedNodes, leftOut } = await arrive(store, records);
    tally.leaveOut(leftOut);
    tally.projects.push({ id: project.id, name: project.name, format: found.format, outcome, addedNodes });
  }
  return tally.report();
}

async function rehearse(records: ReturnType<Tally['watch']>, format: string, tally: Tally): Promise<void> {
  let addedNodes = 0;
  for await (const record of records) {
    if (record.type === 'node') addedNodes += 1;
    if (record.type !== 'project') continue;
    tally.projects.push({ id: record.value.id, name: record.value.name, format, outcome: 'new', addedNodes: 0 });
  }
  const last = tally.projects.at(-1);
  if (last !== undefined) last.addedNodes = addedNodes;
}

async function* foundAt(path: string, options: ImportOptions): AsyncGenerator<Found, void> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new UnknownSourceError(path, 'There is no such file or directory.');
  const onBytes = options.onBytes ?? (() => undefined);
  if (found.isFile()) {
    yield* readFile(path, options.envelope, onBytes);
    return;
  }
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
  if ((await stat(inside).catch(() => null)) === null) {
    throw new UnknownSourceError(
      path,
      'This directory holds neither a bundle, nor conversations.json, nor the data of Loom or ResearchTree.',
    );
  }
  yield* readFile(inside, options.envelope, onBytes);
}
