interface TableComments {
  readonly is: string;
  readonly columns: Readonly<Record<string, string>>;
}

const PROJECT = 'The project that it belongs to';
const POSITION = 'The order of storage: times and ids play no role in it';
const CREATED = 'When it was made, ISO 8601, to the letter as it was written or imported';
const LEXEMES = 'What search finds it by, derived from it; null until that was done';

/** What migration 20 says about each table and column that there was. A later migration comments on what it adds. */
export const COMMENTS: Readonly<Record<string, TableComments>> = {
  projects: {
    is: 'Projects: what holds branches and messages',
    columns: {
      id: 'Any text, compared byte by byte',
      position: POSITION,
      name: 'What people call it',
      description: 'What it is about; null where nobody said',
      system_prompt: 'The system prompt that new branches begin with',
      defaults: 'JSON text: the choices that new branches begin with',
      archived: 'Out of the usual lists',
      created_at: CREATED,
      pinned: 'First in lists',
      folder: 'The folder that it is shown in',
      lexemes: LEXEMES,
    },
  },
  branches: {
    is: 'Branches: a name, a lock to a provider and model, and a pointer to the newest message',
    columns: {
      project_id: PROJECT,
      id: 'Unique in its project',
      position: POSITION,
      name: 'Any text, unique in its project',
      tip_id: 'The newest node; null while it has none',
      forked_from_id: 'The node that it was forked from',
      envelope: 'JSON text: provider, model, system prompt, tools and thinking that it is locked to',
      keep_tools_after_break: 'Whether tools stay as they are after the prefix was broken',
      pinned: 'First in lists',
      hidden: 'Out of the usual lists',
      color: 'How the page marks it',
      created_at: CREATED,
      replay_by: 'What decides which earlier replies go back as they were made',
      recorded: 'JSON text: which client the gateway recorded it from; null where it did not',
      lexemes: LEXEMES,
    },
  },
  turns: {
    is: 'Turns: a message, the calls that it led to, and how that ended',
    columns: {
      project_id: PROJECT,
      id: 'Unique in its project',
      position: POSITION,
      branch_id: 'The branch that it runs on; it may be gone',
      is_thinking_mode: 'Whether thinking was asked for',
      status: 'running, awaiting_approval, complete, error or interrupted',
      created_at: CREATED,
      client_request_id: 'What the client called its request, so that a repeated one begins nothing new',
      owner: 'The server that runs it; null where none does',
      lease_until: 'Until when the owner is trusted to be alive, in milliseconds since 1970; null unless running',
      interrupt_requested: 'Somebody asked to stop it',
    },
  },
  nodes: {
    is: 'Nodes: the messages, as a tree',
    columns: {
      project_id: PROJECT,
      id: 'Unique in its project',
      position: POSITION,
      parent_id: 'The message before it; null for a first one',
      turn_id: 'The turn that made it',
      created_on_branch: 'The branch that it was made on; it may be gone',
      role: 'system, user, assistant or tool',
      content_blocks: 'JSON text: its blocks, exactly, also the order of keys (jsonb would change it)',
      content: 'Its text; null where that follows from the blocks',
      provider: 'Who made the reply',
      model_used: 'The model that made the reply',
      tool_call_id: 'The call of a tool that it answers',
      availability: 'How much of its thinking is there: none, summary, full, redacted or partial',
      thinking_truncated: 'Whether stored thinking was cut at the cap',
      made_with_prefix: 'What came before it when it was made, as a hash',
      previous_thinking: 'The reply whose thinking its own is bound to',
      is_error: 'It says that something failed, and does not go back to a model',
      interrupted: 'It was cut off',
      include_thinking: 'Whether its thinking may go back to a model',
      match_key: 'What finds it again under its parent',
      created_at: CREATED,
      tool_ms: 'How long the tool ran whose result it is, in milliseconds',
      trail: 'Where a client of the gateway finds its conversation again, as a hash',
      lexemes: LEXEMES,
    },
  },
  calls: {
    is: 'Calls: each request to a provider, and what came of it',
    columns: {
      project_id: PROJECT,
      id: 'Unique in its project',
      position: POSITION,
      turn_id: 'The turn that made it',
      node_id: 'The reply that came of it',
      provider: 'The provider that was asked',
      deployment: 'The deployment that was asked',
      model: 'The model that was asked for',
      status: 'running, complete, error or interrupted',
      request_hash: 'SHA-256 of the body that was sent',
      provider_request_id: 'What the provider calls the request',
      response_id: 'What the provider calls the reply',
      started_at: 'When the request was sent, ISO 8601',
      first_byte_at: 'When the reply began, ISO 8601',
      ended_at: 'When the reply ended, ISO 8601',
      usage: 'JSON text: tokens, as the provider counted them',
      cost: 'In US dollars; null where no price is known',
      error_code: 'Why it failed',
      purpose: 'What it was made for; null for a reply',
      exchange: 'JSON text: how the request of a client can be rebuilt; null where no client sent it',
    },
  },
  raws: {
    is: 'Raw replies, byte for byte',
    columns: {
      project_id: PROJECT,
      call_id: 'The call that it came of',
      bytes: 'The raw reply as JSON text, gzipped',
    },
  },
  renderings: {
    is: 'What nodes became in requests: sent again byte for byte',
    columns: {
      project_id: PROJECT,
      node_id: 'The node that was sent',
      key: 'How it was sent',
      bytes: 'What was sent, exactly',
    },
  },
  cached_turns: {
    is: 'What closed turns became in requests; a cache that may be emptied at any time',
    columns: {
      project_id: PROJECT,
      node_id: 'The last node of the turn',
      slot: 'The kind of request that it is for',
      key: 'Everything that it depends on',
      facts: 'What the next request has to know of it',
      bytes: 'What was sent, exactly',
    },
  },
  stream_log: {
    is: 'What running turns have shown so far, line by line; gone after their end',
    columns: {
      project_id: PROJECT,
      turn_id: 'The turn',
      seq: 'The number of the line, from 1',
      data: 'The line',
    },
  },
  spending: {
    is: 'What calls used, summed up by day, project, client and model; deleting takes nothing from it',
    columns: {
      day: 'The day in UTC, as YYYY-MM-DD',
      project_id: 'The project; it may be gone',
      client: 'Who asked: Bough itself, or a client of the gateway',
      provider: 'The provider that was asked',
      model: 'The model that was asked',
      calls: 'How many calls',
      uncounted: 'How many of them without known usage',
      unpriced: 'How many of them without a known price',
      input_tokens: 'Tokens that were sent',
      output_tokens: 'Tokens that came back',
      cached_tokens: 'Tokens of those that were sent, which a cache had',
      written_tokens: 'Tokens of those that were sent, which were written into a cache',
      reasoning_tokens: 'Tokens of those that came back, which were reasoning',
      cost: 'In US dollars',
    },
  },
  blobs: {
    is: 'Files of messages, by the hash of their bytes; they belong to no project',
    columns: {
      id: 'Where its pieces are',
      hash: 'SHA-256 of its bytes; null while it is being uploaded',
      size: 'In bytes',
      put_at: 'When it was last put, in milliseconds since 1970',
    },
  },
  blob_pieces: {
    is: 'The bytes of files, in pieces',
    columns: {
      blob_id: 'The file',
      start: 'Where in the file the piece begins',
      bytes: 'The piece',
    },
  },
  blob_refs: {
    is: 'Which nodes refer to which files',
    columns: { project_id: PROJECT, node_id: 'The node', hash: 'The file' },
  },
  trash: {
    is: 'What was deleted and can be restored',
    columns: {
      id: 'What it is restored by',
      position: POSITION,
      project_id: 'The project that it was deleted from; it may lie in the trash as well',
      entry: 'JSON text: what people see of it',
      moves: 'JSON text: what the deletion moved',
    },
  },
  trash_rows: {
    is: 'The removed rows, one row each',
    columns: {
      trash_id: 'The entry that it belongs to',
      position: POSITION,
      kind: 'The table that it came from',
      data: 'The row as JSON text',
    },
  },
  trash_blobs: {
    is: 'Which entries of the trash refer to which files',
    columns: { trash_id: 'The entry', hash: 'The file' },
  },
  foreign_documents: {
    is: 'What other programs keep with a project and Bough has no place for',
    columns: {
      project_id: PROJECT,
      name: 'Unique in its project',
      holds: 'JSON text: what it is',
      value: 'JSON text, exactly as it came',
    },
  },
  shelf: {
    is: 'Documents that belong to no project: presets, prompts, settings of the page',
    columns: {
      name: 'Unique',
      version: 'Counts up with each change, for compare and set',
      value: 'JSON text',
    },
  },
  receipts: {
    is: 'By what a transaction is recognised if the answer to its commit is lost',
    columns: {
      slot: 'Used again by the transactions of one server, one after the other',
      token: 'The last transaction that was committed there',
      written_at: 'When that was',
    },
  },
  annotations: {
    is: 'Stars, bookmarks, notes and verdicts that a person left beside messages; no model gets them',
    columns: {
      project_id: 'The project',
      node_id: 'The message',
      kind: 'star, bookmark, note or verdict',
      name: 'Of a bookmark its name, of a verdict the comparison; empty otherwise',
      text: 'The words of a note or the reason of a verdict; may be empty',
      changed_at: 'When it was left or changed',
      verdict: 'What was judged, of a verdict',
      blind: 'Whether the names of the models were hidden when it was judged',
    },
  },
  signals: {
    is: 'What servers tell each other, for those that cannot listen; kept for minutes, and only while one reads it',
    columns: {
      position: 'The order of sending',
      transaction: 'By which a reader knows what it has not seen yet',
      payload: 'The signal, as JSON text',
      sent_at: 'When it was sent',
    },
  },
  signal_readers: {
    is: 'Which servers read signals instead of listening',
    columns: { id: 'One per server and start', seen_at: 'When it was last alive' },
  },
  migrations: {
    is: 'Which steps of the schema were applied',
    columns: { number: 'Their order', name: 'What the step was about', applied_at: 'When it was applied' },
  },
};
