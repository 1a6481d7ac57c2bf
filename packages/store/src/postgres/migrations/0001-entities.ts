import type { Migration } from './migration.ts';

/**
 * Every key leads with the project, so that the tables can be distributed by it. Ids compare byte by byte (`COLLATE
 * "C"`): ids that a locale considers equal stay distinct.
 */
export const entities: Migration = {
  number: 1,
  name: 'entities',
  statements: [
    `CREATE TABLE projects (
      id text COLLATE "C" PRIMARY KEY,
      position bigint GENERATED ALWAYS AS IDENTITY,
      name text NOT NULL,
      description text,
      system_prompt text,
      defaults text NOT NULL,
      archived boolean NOT NULL,
      created_at text NOT NULL
    )`,
    `CREATE TABLE turns (
      project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      position bigint GENERATED ALWAYS AS IDENTITY,
      branch_id text COLLATE "C",
      is_thinking_mode boolean NOT NULL,
      status text COLLATE "C" NOT NULL,
      created_at text NOT NULL,
      client_request_id text COLLATE "C",
      owner text COLLATE "C",
      lease_until double precision,
      interrupt_requested boolean NOT NULL DEFAULT false,
      PRIMARY KEY (project_id, id),
      CONSTRAINT turns_status CHECK (status IN ('running', 'awaiting_approval', 'complete', 'error', 'interrupted')),
      CONSTRAINT turns_lease_while_running CHECK ((status = 'running') = (lease_until IS NOT NULL)),
      CONSTRAINT turns_owner_while_running CHECK (status = 'running' OR owner IS NULL)
    )`,
    // A turn that waits for an approval holds its branch too.
    `CREATE UNIQUE INDEX turns_one_open_per_branch ON turns (project_id, branch_id)
      WHERE branch_id IS NOT NULL AND status IN ('running', 'awaiting_approval')`,
    `CREATE UNIQUE INDEX turns_client_request ON turns (project_id, client_request_id) WHERE client_request_id IS NOT NULL`,
    `CREATE INDEX turns_position ON turns (project_id, position)`,
    `CREATE INDEX turns_open ON turns (project_id, position) WHERE status IN ('running', 'awaiting_approval')`,
    // Leases are kept by the turn's id alone, and searched across all projects.
    `CREATE INDEX turns_running ON turns (id) WHERE status = 'running'`,
    `CREATE INDEX turns_lease ON turns (lease_until) WHERE status = 'running'`,
    `CREATE TABLE nodes (
      project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      position bigint GENERATED ALWAYS AS IDENTITY,
      parent_id text COLLATE "C",
      turn_id text COLLATE "C",
      created_on_branch text COLLATE "C",
      role text COLLATE "C" NOT NULL,
      content_blocks text NOT NULL,
      content text,
      folded text COLLATE "C" NOT NULL,
      provider text COLLATE "C",
      model_used text COLLATE "C",
      tool_call_id text COLLATE "C",
      availability text COLLATE "C",
      thinking_truncated boolean,
      made_with_prefix text COLLATE "C",
      previous_thinking text COLLATE "C",
      is_error boolean NOT NULL,
      interrupted boolean NOT NULL,
      include_thinking boolean NOT NULL,
      match_key text COLLATE "C" NOT NULL,
      created_at text NOT NULL,
      PRIMARY KEY (project_id, id),
      CONSTRAINT nodes_parent FOREIGN KEY (project_id, parent_id) REFERENCES nodes ON DELETE CASCADE,
      CONSTRAINT nodes_turn FOREIGN KEY (project_id, turn_id) REFERENCES turns ON DELETE CASCADE,
      CONSTRAINT nodes_not_own_parent CHECK (parent_id <> id),
      CONSTRAINT nodes_role CHECK (role IN ('system', 'user', 'assistant', 'tool')),
      CONSTRAINT nodes_tool_answers_a_call CHECK (role <> 'tool' OR tool_call_id IS NOT NULL),
      CONSTRAINT nodes_availability CHECK (availability IN ('none', 'summary', 'full', 'redacted', 'partial')),
      CONSTRAINT nodes_thinking_whole CHECK ((availability IS NULL) = (thinking_truncated IS NULL)),
      CONSTRAINT nodes_made_with_whole CHECK (made_with_prefix IS NOT NULL OR previous_thinking IS NULL)
    )`,
    `CREATE INDEX nodes_position ON nodes (project_id, position)`,
    `CREATE INDEX nodes_children ON nodes (project_id, parent_id, match_key)`,
    `CREATE INDEX nodes_of_turn ON nodes (project_id, turn_id)`,
    // For a node whose project is not known.
    `CREATE INDEX nodes_id ON nodes (id)`,
    `CREATE INDEX nodes_thinking ON nodes (project_id, provider, model_used, availability) WHERE availability IS NOT NULL`,
    `CREATE TABLE branches (
      project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      position bigint GENERATED ALWAYS AS IDENTITY,
      name text COLLATE "C" NOT NULL,
      tip_id text COLLATE "C",
      forked_from_id text COLLATE "C",
      envelope text NOT NULL,
      previous_response_id text,
      keep_tools_after_break boolean NOT NULL,
      pinned boolean NOT NULL,
      hidden boolean NOT NULL,
      color text,
      created_at text NOT NULL,
      PRIMARY KEY (project_id, id),
      CONSTRAINT branches_name UNIQUE (project_id, name),
      CONSTRAINT branches_tip FOREIGN KEY (project_id, tip_id) REFERENCES nodes ON DELETE SET NULL (tip_id),
      CONSTRAINT branches_forked_from FOREIGN KEY (project_id, forked_from_id) REFERENCES nodes
        ON DELETE SET NULL (forked_from_id)
    )`,
    `CREATE INDEX branches_at_tip ON branches (project_id, tip_id)`,
    `CREATE INDEX branches_forked_at ON branches (project_id, forked_from_id)`,
    `CREATE TABLE calls (
      project_id text COLLATE "C" NOT NULL REFERENCES projects ON DELETE CASCADE,
      id text COLLATE "C" NOT NULL,
      position bigint GENERATED ALWAYS AS IDENTITY,
      turn_id text COLLATE "C" NOT NULL,
      node_id text COLLATE "C",
      provider text COLLATE "C" NOT NULL,
      deployment text NOT NULL,
      model text COLLATE "C" NOT NULL,
      status text COLLATE "C" NOT NULL,
      request_hash text NOT NULL,
      provider_request_id text,
      response_id text,
      started_at text NOT NULL,
      first_byte_at text,
      ended_at text,
      usage text,
      cost double precision,
      error_code text COLLATE "C",
      PRIMARY KEY (project_id, id),
      CONSTRAINT calls_turn FOREIGN KEY (project_id, turn_id) REFERENCES turns ON DELETE CASCADE,
      CONSTRAINT calls_node FOREIGN KEY (project_id, node_id) REFERENCES nodes ON DELETE CASCADE,
      CONSTRAINT calls_status CHECK (status IN ('running', 'complete', 'error', 'interrupted'))
    )`,
    `CREATE INDEX calls_of_turn ON calls (project_id, turn_id, position)`,
    `CREATE INDEX calls_of_node ON calls (project_id, node_id, position)`,
    `CREATE INDEX calls_position ON calls (project_id, position)`,
    // Separate from the calls, so that reading a call never reads its raw. We compress it: PostgreSQL must not try
    // again.
    `CREATE TABLE raws (
      project_id text COLLATE "C" NOT NULL,
      call_id text COLLATE "C" NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (project_id, call_id),
      CONSTRAINT raws_call FOREIGN KEY (project_id, call_id) REFERENCES calls ON DELETE CASCADE
    )`,
    `ALTER TABLE raws ALTER COLUMN bytes SET STORAGE EXTERNAL`,
    `CREATE TABLE renderings (
      project_id text COLLATE "C" NOT NULL,
      node_id text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      bytes text NOT NULL,
      PRIMARY KEY (project_id, node_id, key),
      CONSTRAINT renderings_node FOREIGN KEY (project_id, node_id) REFERENCES nodes ON DELETE CASCADE
    )`,
    `CREATE TABLE stream_log (
      project_id text COLLATE "C" NOT NULL,
      turn_id text COLLATE "C" NOT NULL,
      seq bigint NOT NULL,
      data text NOT NULL,
      PRIMARY KEY (project_id, turn_id, seq),
      CONSTRAINT stream_log_turn FOREIGN KEY (project_id, turn_id) REFERENCES turns ON DELETE CASCADE,
      CONSTRAINT stream_log_seq CHECK (seq >= 1)
    )`,
  ],
};
