import type { Envelope } from '@bough/core';
import { blobHash, BoughError } from '@bough/core';
import { importProject } from '@bough/engine';
import type { Deployment } from '@bough/providers';
import type { BlobStore, ProjectRecord, Store } from '@bough/store';
import { withBlobs } from '@bough/store';
import { createHash } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isBundle, readBundle } from '../bundle/read.ts';
import type { Unpacking } from './archive.ts';
import { withUnpacked } from './archive.ts';
import type { ImportProblem } from './conversation.ts';
import { kindOfDirectory, readDirectory } from './directory.ts';
import { readFile } from './file.ts';
import type { FileKeeper } from './files/bring.ts';
import { createBringer } from './files/bring.ts';
import type { HeldFiles } from './files/held-files.ts';
import { heldInDirectory } from './files/held-files.ts';
import type { SessionsInput } from './formats/sessions/index.ts';
import { Sessions } from './formats/sessions/index.ts';
import type { Found } from './found.ts';
import { Lanes } from './lanes.ts';
import { besides, familiar, filesBelow, layoutOf } from './layouts.ts';
import type { Existing } from './rehearsal.ts';
import { rehearsed } from './rehearsal.ts';
import type { ImportReport } from './report.ts';
import { Tally } from './report.ts';
import { WHAT_HELPS } from './seen.ts';

export type { Existing } from './rehearsal.ts';
export type { ImportReport } from './report.ts';

/** Everything is read once before anything is written, unless malformed records are skipped. */
export type ImportPass = 'checking' | 'writing';

export interface ImportOptions extends Unpacking {
  readonly envelope: Envelope;
  /** `stop`: everything is read before anything is written, and the first malformed record ends the import. */
  readonly onError: 'skip' | 'stop';
  /** Takes the files of other programs' exports; without it they are named, and left out. */
  readonly files?: FileKeeper | undefined;
  /** How much of the source was read in this pass, and how large it is; null where that is not known. */
  readonly onBytes?: (bytes: number, total: number | null, pass: ImportPass) => void;
  /** After each conversation: how many have been read in this pass. */
  readonly onConversation?: (count: number, pass: ImportPass) => void;
  /** Where agents' sessions were made: what is configured here. Without it, nobody is known to have made them. */
  readonly deployments?: readonly Deployment[] | undefined;
  /** The provider that made the replies of agents' sessions, where the files do not say it. */
  readonly madeBy?: string | undefined;
  /** Whether a person chose the envelope: then branches of sessions go on with it, and not with their own models. */
  readonly isEnvelopeChosen?: boolean | undefined;
  /** Ends the import: what was written stays, and of a project that is being written nothing does. */
  readonly signal?: AbortSignal;
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
  return withUnpacked(path, options, async (place, held) => {
    if (options.onError === 'stop') await pass(null, place, held, options);
    return pass(store, place, held, options);
  });
}

/** What an import would bring to what is there. Needs no store, and writes nothing anywhere. */
export async function rehearseImport(
  path: string,
  options: ImportOptions,
  existing: Existing = async () => null,
): Promise<ImportReport> {
  return withUnpacked(path, options, (place, held) => pass(null, place, held, options, existing));
}

async function pass(
  store: Store | null,
  path: string,
  unpacked: HeldFiles | null,
  options: ImportOptions,
  existing?: Existing,
): Promise<ImportReport> {
  return takeIn(store, foundAt(store, path, unpacked, options), options, existing);
}

/** Takes in what was found. */
export async function takeIn(
  store: Store | null,
  source: AsyncIterable<Found>,
  options: ImportOptions,
  existing: Existing = async () => null,
): Promise<ImportReport> {
  const tally = new Tally();
  const note = (problem: ImportProblem): void => {
    if (options.onError === 'stop') throw new ImportStoppedError(problem);
    tally.problems.push(problem);
  };
  let count = 0;
  const counted = (): void => options.onConversation?.((count += 1), store === null ? 'checking' : 'writing');
  const lanes = new Lanes<Taken>((taken) => {
    if ('problem' in taken) note(taken.problem);
    else {
      tally.leaveOut(taken.leftOut);
      tally.projects.push(taken.project);
    }
    counted();
  });
  try {
    for await (const found of source) {
      options.signal?.throwIfAborted();
      if (found.type === 'leftOut') {
        tally.leaveOut(found.kinds);
        continue;
      }
      if (found.type === 'problem') {
        if (found.isLenient === true) tally.problems.push(found.problem);
        else note(found.problem);
        continue;
      }
      if (found.isLenient === true) tally.problems.push(...found.problems);
      else found.problems.forEach(note);
      if (found.reasoning !== undefined) tally.countReasoning(found.reasoning);
      tally.leaveOut(found.leftOut);
      tally.files += found.attached ?? 0;
      tally.missingFiles.push(...(found.missing ?? []));
      const { records: all, files } = found;
      const whole = files === undefined ? all : withBlobs(all, files, store?.blobs ?? NOWHERE);
      const records = tally.watch(stoppable(whole, options.signal));
      await lanes.add(found.held, () => take(store, found, records, existing));
    }
    await lanes.end();
  } finally {
    // Whoever interrupts an import is told how many are in.
    await lanes.settle((taken) => {
      if ('project' in taken) counted();
    });
  }
  return tally.report();
}

/** What became of a project, or why it did not come. */
type Taken =
  | { readonly project: ImportReport['projects'][number]; readonly leftOut: readonly string[] }
  | { readonly problem: ImportProblem };

async function take(
  store: Store | null,
  { format, title }: Extract<Found, { type: 'project' }>,
  source: AsyncIterable<ProjectRecord>,
  existing: Existing,
): Promise<Taken> {
  let broken: unknown;
  const records = noting(source, (error) => {
    broken = error;
  });
  try {
    if (store === null) return { project: await rehearsed(records, format, existing), leftOut: [] };
    const { project, outcome, addedNodes, leftOut } = await importProject(store, records);
    return { project: { id: project.id, name: project.name, format, outcome, addedNodes }, leftOut };
  } catch (error) {
    // A failure of the store is another matter, and a bundle is refused as a whole. From a directory the other projects
    // can still be imported.
    if (!(broken instanceof BoughError) || format === 'bundle') throw error;
    return { problem: { where: title, message: broken.message } };
  }
}

async function* stoppable<Item>(items: AsyncIterable<Item>, signal?: AbortSignal): AsyncGenerator<Item, void> {
  for await (const item of items) {
    signal?.throwIfAborted();
    yield item;
  }
}

/** Reads files and keeps none: a rehearsal finds out whether they are whole. */
const NOWHERE: Pick<BlobStore, 'put'> = {
  put: async (source) => {
    const sha256 = createHash('sha256');
    let size = 0;
    for await (const piece of source) {
      sha256.update(piece);
      size += piece.length;
    }
    return { hash: blobHash(sha256.digest('hex')), size };
  },
};

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

function bringing(
  store: Store | null,
  options: ImportOptions,
): (held: HeldFiles | null) => ReturnType<typeof createBringer> {
  return (held) =>
    createBringer({
      held,
      keeper: options.files ?? null,
      store,
      temporaryDir: options.temporaryDir,
      maxBytes: options.maxUnpackedBytes ?? Number.MAX_SAFE_INTEGER,
      signal: options.signal,
    });
}

/** What reading the sessions of agents takes. */
export function sessionsInput(
  store: Store | null,
  options: ImportOptions,
  onBytes: (bytes: number) => void,
): SessionsInput {
  return {
    envelope: options.envelope,
    isChosen: options.isEnvelopeChosen ?? false,
    deployments: options.deployments ?? [],
    madeBy: options.madeBy,
    bringer: bringing(store, options),
    onBytes,
    temporaryDir: options.temporaryDir,
    maxBytes: options.maxUnpackedBytes,
  };
}

async function* foundAt(
  store: Store | null,
  named: string,
  unpacked: HeldFiles | null,
  options: ImportOptions,
): AsyncGenerator<Found, void> {
  // The path itself may be a link: the person named it. Links inside a directory were named by nobody.
  const path = await realpath(named).catch(() => named);
  const found = await lstat(path).catch(() => null);
  if (found === null) throw new UnknownSourceError(named, 'There is no such file or directory.');
  const stage = store === null ? 'checking' : 'writing';
  const onBytes = (bytes: number, total: number | null): void => {
    options.signal?.throwIfAborted();
    options.onBytes?.(bytes, total, stage);
  };
  const bringer = bringing(store, options);
  if (found.isFile()) {
    const session = new Sessions(path);
    if (await session.areThere()) {
      yield* session.read(sessionsInput(store, options, (bytes) => onBytes(bytes, null)));
      return;
    }
    // What lies beside a single file belongs to somebody, but not to it.
    const told = (bytes: number): void => onBytes(bytes, found.size);
    yield* readFile(path, options.envelope, told, bringer(null), options.temporaryDir);
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
  const paths = await filesBelow(path);
  const { files, isKnown } = layoutOf(paths);
  const sessions = isKnown ? null : new Sessions(path);
  if (sessions !== null && (await sessions.areThere())) {
    yield { type: 'leftOut', kinds: sessions.leftOut() };
    yield* sessions.read(sessionsInput(store, options, (bytes) => onBytes(bytes, null)));
    return;
  }
  const told = isKnown ? null : familiar(paths);
  if (told !== null) throw new UnknownSourceError(path, told);
  if (files.length === 0) {
    const seen = paths.length === 0 ? 'nothing' : `${paths.slice(0, 8).join(', ')}${paths.length > 8 ? ', …' : ''}`;
    throw new UnknownSourceError(path, `This directory holds no conversations, but ${seen}. ${WHAT_HELPS}`);
  }
  const held = unpacked ?? (await heldInDirectory(path));
  yield { type: 'leftOut', kinds: isKnown ? besides(held.paths ?? [], files) : [] };
  const bring = bringer(held);
  const sizes = await Promise.all(files.map(async (name) => (await lstat(join(path, name))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let before = 0;
  for (const [index, name] of files.entries()) {
    const start = before;
    const told = (bytes: number): void => onBytes(start + bytes, total);
    yield* oneOf(files, name, readFile(join(path, name), options.envelope, told, bring, options.temporaryDir));
    before += sizes[index] ?? 0;
  }
}

/** One of several files: what is wrong with it is told with its name, and the others are read all the same. */
async function* oneOf(
  files: readonly string[],
  name: string,
  found: AsyncIterable<Found>,
): AsyncGenerator<Found, void> {
  if (files.length === 1) {
    yield* found;
    return;
  }
  try {
    for await (const each of found) {
      if (each.type === 'project') yield { ...each, problems: each.problems.map((problem) => named(name, problem)) };
      else yield each.type === 'problem' ? { ...each, problem: named(name, each.problem) } : each;
    }
  } catch (error) {
    if (!(error instanceof BoughError) || error.code !== 'unknown_source') throw error;
    yield { type: 'problem', problem: { where: name, message: error.message } };
  }
}

const named = (name: string, { where, message }: ImportProblem): ImportProblem => ({
  where: `${name}, ${where}`,
  message,
});
