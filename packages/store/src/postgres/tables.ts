import type { GeneratedAlways } from 'kysely';

/**
 * The schema as queries see it: every column that is written, with its type. Row types, inserts and reads are derived
 * from it; to add a column, change this, add a migration (`migrations/`), and convert it where its record becomes a row
 * and back (`rows/`).
 */
export const COLUMNS = {
  projects: {
    id: 'text',
    name: 'text',
    description: 'text null',
    system_prompt: 'text null',
    /** JSON text, here and below: `jsonb` would reorder keys and reject U+0000. */
    defaults: 'text',
    archived: 'boolean',
    pinned: 'boolean',
    folder: 'text null',
    lexemes: 'tsvector null',
    created_at: 'text',
  },
  branches: {
    project_id: 'text',
    id: 'text',
    name: 'text',
    tip_id: 'text null',
    forked_from_id: 'text null',
    envelope: 'text',
    replay_by: 'text',
    keep_tools_after_break: 'boolean',
    pinned: 'boolean',
    hidden: 'boolean',
    color: 'text null',
    /** Null where the gateway did not make it, which is the usual case. */
    recorded: 'text null',
    lexemes: 'tsvector null',
    created_at: 'text',
  },
  turns: {
    project_id: 'text',
    id: 'text',
    branch_id: 'text null',
    is_thinking_mode: 'boolean',
    status: 'text',
    created_at: 'text',
    client_request_id: 'text null',
    /** Who runs the turn. Null where nobody does: it waits, has ended, or was imported. */
    owner: 'text null',
    /** In milliseconds since 1970; set only while the turn runs. */
    lease_until: 'double precision null',
    /** Somebody asked to stop it. Stored, because the signal may be sent while its owner's connection is down. */
    interrupt_requested: 'boolean',
  },
  nodes: {
    project_id: 'text',
    id: 'text',
    parent_id: 'text null',
    turn_id: 'text null',
    created_on_branch: 'text null',
    role: 'text',
    content_blocks: 'text',
    /** Null where it is derivable from the blocks, which is the usual case. */
    content: 'text null',
    /** What search finds it by; null until that was derived. */
    lexemes: 'tsvector null',
    provider: 'text null',
    model_used: 'text null',
    tool_call_id: 'text null',
    tool_ms: 'double precision null',
    trail: 'text null',
    availability: 'text null',
    thinking_truncated: 'boolean null',
    made_with_prefix: 'text null',
    previous_thinking: 'text null',
    is_error: 'boolean',
    interrupted: 'boolean',
    include_thinking: 'boolean',
    match_key: 'text',
    created_at: 'text',
  },
  calls: {
    project_id: 'text',
    id: 'text',
    turn_id: 'text',
    node_id: 'text null',
    provider: 'text',
    deployment: 'text',
    model: 'text',
    status: 'text',
    request_hash: 'text',
    provider_request_id: 'text null',
    response_id: 'text null',
    started_at: 'text',
    first_byte_at: 'text null',
    ended_at: 'text null',
    usage: 'text null',
    cost: 'double precision null',
    error_code: 'text null',
    /** Null for a reply, which is the usual case. */
    purpose: 'text null',
    /** Null where no client sent it. Lists of calls do not read it. */
    exchange: 'text null',
  },
  /** What calls used, summed up with each commit. No call is referred to: what is deleted was paid for nevertheless. */
  spending: {
    day: 'text',
    project_id: 'text',
    client: 'text',
    provider: 'text',
    model: 'text',
    calls: 'bigint',
    uncounted: 'bigint',
    unpriced: 'bigint',
    input_tokens: 'double precision',
    output_tokens: 'double precision',
    cost: 'double precision',
    cached_tokens: 'double precision',
    written_tokens: 'double precision',
    reasoning_tokens: 'double precision',
  },
  raws: {
    project_id: 'text',
    call_id: 'text',
    /** The raw response as JSON text, gzipped. */
    bytes: 'bytea',
  },
  renderings: {
    project_id: 'text',
    node_id: 'text',
    key: 'text',
    bytes: 'text',
  },
  /** Which nodes refer to which blobs. The blobs themselves are read and written by `blobs/` alone. */
  blob_refs: {
    project_id: 'text',
    node_id: 'text',
    hash: 'text',
  },
  cached_turns: {
    project_id: 'text',
    node_id: 'text',
    slot: 'text',
    key: 'text',
    facts: 'text',
    /** As text, which it is: the driver would receive `bytea` in hexadecimal. */
    bytes: 'text',
  },
  stream_log: {
    project_id: 'text',
    turn_id: 'text',
    seq: 'bigint',
    data: 'text',
  },
  trash: {
    id: 'text',
    project_id: 'text',
    /** What people see of it, as JSON text. */
    entry: 'text',
    /** What the deletion moved, as JSON text: restoring moves it back. */
    moves: 'text',
  },
  /** What other programs keep with a project and Bough has no place for. */
  foreign_documents: {
    project_id: 'text',
    name: 'text',
    /** JSON text, like the value. */
    holds: 'text',
    value: 'text',
  },
  /** What a person keeps beside a message. */
  annotations: {
    project_id: 'text',
    node_id: 'text',
    kind: 'text',
    name: 'text',
    text: 'text',
    changed_at: 'text',
    verdict: 'text null',
    blind: 'boolean',
  },
  shelf: {
    name: 'text',
    version: 'bigint',
    value: 'text',
  },
} as const;

export type TableName = keyof typeof COLUMNS;

interface Values {
  text: string;
  'text null': string | null;
  boolean: boolean;
  'boolean null': boolean | null;
  'double precision': number;
  'double precision null': number | null;
  'tsvector null': string | null;
  bigint: number;
  bytea: Buffer;
}
export type ColumnType = keyof Values;

type RowOf<Table extends TableName> = {
  -readonly [Column in keyof (typeof COLUMNS)[Table]]: (typeof COLUMNS)[Table][Column] extends ColumnType
    ? Values[(typeof COLUMNS)[Table][Column]]
    : never;
};

/**
 * The order of storage. Times and ids play no role: several records may share a time, and clocks differ between
 * servers.
 */
interface Positioned {
  position: GeneratedAlways<number>;
}

export type ProjectRow = RowOf<'projects'> & Positioned;
export type BranchRow = RowOf<'branches'> & Positioned;
export type TurnRow = RowOf<'turns'> & Positioned;
export type NodeRow = RowOf<'nodes'> & Positioned;
export type CallRow = RowOf<'calls'> & Positioned;
export type SpendingRow = RowOf<'spending'>;
export type RawRow = RowOf<'raws'>;
export type RenderingRow = RowOf<'renderings'>;
export type BlobRefRow = RowOf<'blob_refs'>;
export type CachedTurnRow = RowOf<'cached_turns'>;
export type LogRow = RowOf<'stream_log'>;
export type ForeignRow = RowOf<'foreign_documents'>;
export type AnnotationRow = RowOf<'annotations'>;
export type ShelfRow = RowOf<'shelf'>;
export type TrashRow = RowOf<'trash'> & Positioned;

export interface Tables {
  projects: ProjectRow;
  branches: BranchRow;
  turns: TurnRow;
  nodes: NodeRow;
  calls: CallRow;
  spending: SpendingRow;
  raws: RawRow;
  renderings: RenderingRow;
  blob_refs: BlobRefRow;
  cached_turns: CachedTurnRow;
  stream_log: LogRow;
  trash: TrashRow;
  foreign_documents: ForeignRow;
  annotations: AnnotationRow;
  shelf: ShelfRow;
}

/** The names of a table's columns, except some. */
export function columnsWithout<Table extends TableName, Left extends keyof (typeof COLUMNS)[Table] & string>(
  table: Table,
  ...left: readonly Left[]
): readonly Exclude<keyof (typeof COLUMNS)[Table] & string, Left>[] {
  const without: ReadonlySet<string> = new Set(left);
  // `Object.keys` loses the types of a constant's keys.
  return Object.keys(COLUMNS[table]).filter((name) => !without.has(name)) as Exclude<
    keyof (typeof COLUMNS)[Table] & string,
    Left
  >[];
}
