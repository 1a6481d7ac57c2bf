import type { GeneratedAlways } from 'kysely';

/** The schema as queries see it. `migrations/` makes it; the names of constraints that code decides by are in `constraints.ts`. */
export interface Tables {
  projects: ProjectRow;
  branches: BranchRow;
  turns: TurnRow;
  nodes: NodeRow;
  calls: CallRow;
  raws: RawRow;
  renderings: RenderingRow;
  stream_log: LogRow;
}

/** The order of storage. Times and ids decide nothing: several records may share a time, and clocks differ between servers. */
interface Positioned {
  position: GeneratedAlways<number>;
}

export interface ProjectRow extends Positioned {
  id: string;
  name: string;
  description: string | null;
  system_prompt: string | null;
  /** JSON text, here and below: `jsonb` would reorder keys and reject U+0000. */
  defaults: string;
  archived: boolean;
  created_at: string;
}

export interface BranchRow extends Positioned {
  project_id: string;
  id: string;
  name: string;
  tip_id: string | null;
  forked_from_id: string | null;
  envelope: string;
  previous_response_id: string | null;
  keep_tools_after_break: boolean;
  pinned: boolean;
  hidden: boolean;
  color: string | null;
  created_at: string;
}

export interface TurnRow extends Positioned {
  project_id: string;
  id: string;
  branch_id: string | null;
  is_thinking_mode: boolean;
  status: string;
  created_at: string;
  client_request_id: string | null;
  /** Who runs the turn. Null where nobody does: waiting, ended, imported. */
  owner: string | null;
  /** In milliseconds since 1970; set exactly while the turn runs. */
  lease_until: number | null;
  /** Somebody asked to stop it. Stored, because a signal may be sent while its owner's connection is down. */
  interrupt_requested: boolean;
}

export interface NodeRow extends Positioned {
  project_id: string;
  id: string;
  parent_id: string | null;
  turn_id: string | null;
  created_on_branch: string | null;
  role: string;
  content_blocks: string;
  /** Null where it is what the blocks give, which is the rule. */
  content: string | null;
  /** The content in lower case, for search. */
  folded: string;
  provider: string | null;
  model_used: string | null;
  tool_call_id: string | null;
  availability: string | null;
  thinking_truncated: boolean | null;
  made_with_prefix: string | null;
  previous_thinking: string | null;
  is_error: boolean;
  interrupted: boolean;
  include_thinking: boolean;
  match_key: string;
  created_at: string;
}

export interface CallRow extends Positioned {
  project_id: string;
  id: string;
  turn_id: string;
  node_id: string | null;
  provider: string;
  deployment: string;
  model: string;
  status: string;
  request_hash: string;
  provider_request_id: string | null;
  response_id: string | null;
  started_at: string;
  first_byte_at: string | null;
  ended_at: string | null;
  usage: string | null;
  cost: number | null;
  error_code: string | null;
}

export interface RawRow {
  project_id: string;
  call_id: string;
  /** The raw response as JSON text, gzipped. */
  bytes: Buffer;
}

export interface RenderingRow {
  project_id: string;
  node_id: string;
  key: string;
  bytes: string;
}

export interface LogRow {
  project_id: string;
  turn_id: string;
  seq: number;
  data: string;
}
