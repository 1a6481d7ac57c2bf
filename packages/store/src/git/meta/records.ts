import type { Branch, Call, Project, ProjectId, RawResponse, Rendering, Turn } from '@bough/core';
import { pinnedAndFolder } from '../../find-projects.ts';
import { isPlainObject, projectId } from '@bough/core';
import { StoreError } from '../../errors.ts';

// The small JSON files of `refs/bough/meta`: indented, so that a diff shows the field that changed.

export function writeJson(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** `subject` names the file for the person who has to repair it. */
export function readJson(bytes: Buffer, subject: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw corrupt(subject, 'is not JSON', cause);
  }
  if (!isPlainObject(value)) throw corrupt(subject, 'does not hold an object');
  return value;
}

export function corrupt(subject: string, problem: string, cause?: unknown): StoreError {
  return new StoreError(
    'corrupt_file',
    subject,
    `${subject} ${problem}. Mend it or restore it from a clone or a backup.`,
    {
      cause,
    },
  );
}

/** A branch, without its tip: git itself knows that. */
export interface BranchRecord extends Omit<Branch, 'tipId' | 'projectId'> {
  readonly ref: string;
  /** Its place in the order of storage. */
  readonly order: number;
  /** For ResearchTree, which continues from it. Bough uses the newest reply's own call instead. */
  readonly previousResponseId?: string | null;
}

/** A turn that has not ended. */
export interface OpenTurn {
  readonly turn: Turn;
  readonly number: number;
  readonly clientRequestId: string | null;
  /** Null while it waits for an approval, or when it was imported. */
  readonly owner: string | null;
  /** In milliseconds since 1970. */
  readonly leaseUntil: number;
  /** How often it was reopened; each time it begins a new log. Absent: never. */
  readonly reopened?: number;
}

/** A record that has at least these fields: an edit by hand or a half-restored backup is noticed here and not later. */
export function readRecord<T extends object>(bytes: Buffer, subject: string, fields: readonly (keyof T & string)[]): T {
  const value: object = readJson(bytes, subject);
  if (!hasFields<T>(value, fields)) throw corrupt(subject, `lacks one of ${fields.join(', ')}`);
  return value;
}

function hasFields<T extends object>(value: object, fields: readonly (keyof T & string)[]): value is T {
  return fields.every((field) => field in value);
}

export function readBranch(bytes: Buffer, subject: string): BranchRecord {
  const record = readRecord<BranchRecord>(bytes, subject, ['id', 'name', 'ref', 'order', 'envelope', 'createdAt']);
  // Branches from before there was a choice have none.
  return 'replayBy' in record ? record : { ...(record as BranchRecord), replayBy: 'issuer' };
}

export function readOpenTurn(project: ProjectId, bytes: Buffer, subject: string): OpenTurn {
  const record = readRecord<OpenTurn>(bytes, subject, ['turn', 'number', 'owner', 'leaseUntil', 'clientRequestId']);
  return { ...record, turn: { ...record.turn, projectId: project } };
}

/** A turn that has ended, with the request that it came from. */
export type EndedTurn = Pick<OpenTurn, 'turn' | 'clientRequestId' | 'reopened'>;

export function readTurn(project: ProjectId, bytes: Buffer, subject: string): EndedTurn {
  const record = readRecord<EndedTurn>(bytes, subject, ['turn', 'clientRequestId']);
  return { ...record, turn: { ...record.turn, projectId: project } };
}

export function readCall(bytes: Buffer, subject: string): Call {
  return readRecord<Call>(bytes, subject, ['id', 'turnId', 'nodeId', 'status', 'provider', 'model']);
}

export function readRaw(bytes: Buffer, subject: string): RawResponse {
  return readRecord<RawResponse>(bytes, subject, ['api', 'payload', 'provider', 'model']);
}

export function readRendering(bytes: Buffer, subject: string): Rendering {
  return readRecord<Rendering>(bytes, subject, ['nodeId', 'key', 'bytes']);
}

/** A project with its place in the list; null for one that Bough has not written yet. */
export interface ProjectFile {
  readonly project: Project;
  readonly order: number | null;
  readonly pinnedBranch: string | null;
  /** The file as it is: fields that Bough does not know are kept. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The version of the repository format. Raised when an older Bough would misread or harm what a newer one wrote. */
export const FORMAT = 1;

/** Projects from before formats were recorded, and those that Bough has not written to yet, have the first one. */
function requireKnownFormat(own: Readonly<Record<string, unknown>>, subject: string): void {
  const format = own['format'] ?? 1;
  if (typeof format !== 'number' || !Number.isInteger(format) || format < 1)
    throw corrupt(subject, 'has no valid format');
  if (format <= FORMAT) return;
  throw new StoreError(
    'format_newer',
    subject,
    `${subject} was written by a newer Bough (format ${format}; this one knows ${FORMAT}). Update Bough to open it. Nothing was changed.`,
  );
}

export function readProject(bytes: Buffer, subject: string): ProjectFile {
  const fields = readJson(bytes, subject);
  const own = isPlainObject(fields['bough']) ? fields['bough'] : {};
  requireKnownFormat(own, subject);
  const { id, name, description, systemPrompt, createdAt, pinnedBranchName } = fields;
  return {
    project: {
      // The directory's name decides: a copied repository still holds the id of its original.
      id: projectId(textOrNull(id) ?? ''),
      name: textOrNull(name) ?? textOrNull(id) ?? '',
      description: textOrNull(description),
      systemPrompt: textOrNull(systemPrompt),
      defaults: isPlainObject(own['defaults']) ? own['defaults'] : {},
      archived: own['archived'] === true,
      ...pinnedAndFolder(own['pinned'] === true, textOrNull(own['folder'])),
      createdAt: textOrNull(createdAt) ?? new Date(0).toISOString(),
    },
    order: typeof own['order'] === 'number' ? own['order'] : null,
    pinnedBranch: textOrNull(pinnedBranchName),
    fields,
  };
}

export function writeProject(project: Project, order: number | null, fields: ProjectFile['fields'] = {}): Buffer {
  const { id, name, description, systemPrompt, createdAt, defaults, archived, pinned, folder } = project;
  const { description: _, systemPrompt: __, bough: ___, ...others } = fields;
  return writeJson({
    ...others,
    id,
    name,
    ...(description === null ? {} : { description }),
    createdAt,
    ...(systemPrompt === null ? {} : { systemPrompt }),
    bough: { format: FORMAT, ...(order === null ? {} : { order }), defaults, archived, pinned, folder },
  });
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
