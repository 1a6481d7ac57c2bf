import { isPlainObject } from '@bough/core';

// The API refuses every key that it does not know. This list is the simulator's own, taken from the published types, so
// that a key that the request builder invents is noticed here.

type Json = Readonly<Record<string, unknown>>;
const keys = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const BODY = keys(
  'model messages max_tokens cache_control container diagnostics inference_geo metadata output_config service_tier speed ' +
    'stop_sequences stream system temperature thinking tool_choice tools top_k top_p',
);
/** Keys that exist only for clients that ask for a beta. */
const BETA_BODY = keys(
  'betas compaction context_management fallbacks fallback_credit_token mcp_servers output_format thread',
);

const MESSAGE = keys('role content');
const SYSTEM_MESSAGE = keys('role content clear_at output_config');

const BLOCKS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: keys('type text cache_control citations'),
  thinking: keys('type thinking signature'),
  redacted_thinking: keys('type data'),
  tool_use: keys('type id name input cache_control caller toolset_name'),
  tool_result: keys('type tool_use_id content is_error cache_control toolset_name'),
  server_tool_use: keys('type id name input cache_control caller'),
  image: keys('type source cache_control transformations'),
  document: keys('type source cache_control citations context title'),
  search_result: keys('type content source title cache_control citations'),
  container_upload: keys('type file_id cache_control'),
  fallback: keys('type from to trigger'),
  compaction: keys('type content encrypted_content signature tool_changes cache_control'),
  tool_addition: keys('type tool cache_control'),
  tool_removal: keys('type tool cache_control'),
  mcp_tool_use: keys('type id name input server_name cache_control'),
  mcp_tool_result: keys('type tool_use_id content is_error cache_control'),
  mcp_tool_listing: keys('type mcp_server_name tools cache_control'),
  tool_reference: keys('type tool_name cache_control'),
};
const SERVER_RESULT = keys('type tool_use_id content cache_control caller');

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id'],
};

const THINKING: Readonly<Record<string, ReadonlySet<string>>> = {
  adaptive: keys('type display block_binding'),
  enabled: keys('type budget_tokens display block_binding'),
  disabled: keys('type'),
  between_tools: keys('type'),
};
const TOOL = keys(
  'type name description input_schema cache_control allowed_callers defer_loading eager_input_streaming input_examples strict',
);
const TOOL_CHOICE = keys('type name disable_parallel_tool_use');
const OUTPUT_CONFIG = keys('effort format');

export interface SchemaOptions {
  readonly counting: boolean;
  readonly betas: readonly string[];
  /** True for a block of an unknown type that the simulator itself handed out. */
  readonly isIssued: (block: Json) => boolean;
}

/** The first thing that does not fit, in the API's words; null if everything does. */
export function schemaProblem(body: unknown, options: SchemaOptions): string | null {
  if (!isPlainObject(body)) return 'The request body is not a JSON object.';
  return problems(body, options).next().value ?? null;
}

function* problems(body: Json, options: SchemaOptions): Generator<string, undefined> {
  const known = options.betas.length > 0 ? new Set([...BODY, ...BETA_BODY]) : BODY;
  yield* extra(body, known, '');
  if (typeof body['model'] !== 'string') yield 'model: Field required';
  if (!options.counting && !Number.isInteger(body['max_tokens'])) yield 'max_tokens: Field required';
  if (body['stream'] !== undefined && typeof body['stream'] !== 'boolean')
    yield 'stream: Input should be a valid boolean';
  yield* settings(body);
  for (const [index, message] of list(body['messages']).entries()) {
    if (!isPlainObject(message)) continue;
    const path = `messages.${index}`;
    yield* extra(message, message['role'] === 'system' ? SYSTEM_MESSAGE : MESSAGE, `${path}.`);
    for (const [at, block] of list(message['content']).entries()) {
      if (isPlainObject(block)) yield* blockProblems(block, `${path}.content.${at}`, options);
    }
  }
  return undefined;
}

function* settings(body: Json): Generator<string> {
  const { thinking, tools, tool_choice: choice, output_config: output } = body;
  if (isPlainObject(thinking)) {
    const type = String(thinking['type']);
    const known = THINKING[type];
    if (known === undefined)
      yield `thinking: Input tag '${type}' found using 'type' does not match any of the expected tags`;
    else yield* extra(thinking, known, `thinking.${type}.`);
  } else if (thinking !== undefined) yield 'thinking: Input should be a valid dictionary';
  for (const [index, tool] of list(tools).entries()) {
    if (!isPlainObject(tool)) yield `tools.${index}: Input should be a valid dictionary`;
    else if (tool['type'] === undefined || tool['type'] === 'custom')
      yield* extra(tool, TOOL, `tools.${index}.custom.`);
  }
  if (isPlainObject(choice)) yield* extra(choice, TOOL_CHOICE, 'tool_choice.');
  if (isPlainObject(output)) yield* extra(output, OUTPUT_CONFIG, 'output_config.');
}

function* blockProblems(block: Json, path: string, options: SchemaOptions): Generator<string> {
  const type = String(block['type']);
  const isServerResult = type.endsWith('_tool_result') && type !== 'tool_result';
  const known = BLOCKS[type] ?? (isServerResult ? SERVER_RESULT : undefined);
  if (known === undefined) {
    if (options.isIssued(block)) return;
    const tags = Object.keys(BLOCKS)
      .map((tag) => `'${tag}'`)
      .join(', ');
    yield `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`;
    return;
  }
  for (const key of REQUIRED[type] ?? []) if (block[key] === undefined) yield `${path}.${type}.${key}: Field required`;
  yield* extra(block, known, `${path}.${type}.`);
  if (type === 'tool_use' && !isPlainObject(block['input']))
    yield `${path}.tool_use.input: Input should be a valid dictionary`;
  if (type !== 'tool_result') return;
  if (block['is_error'] !== undefined && typeof block['is_error'] !== 'boolean')
    yield `${path}.tool_result.is_error: Input should be a valid boolean`;
  for (const [at, part] of list(block['content']).entries()) {
    if (isPlainObject(part)) yield* blockProblems(part, `${path}.tool_result.content.${at}`, options);
  }
}

function* extra(value: Json, known: ReadonlySet<string>, path: string): Generator<string> {
  for (const key of Object.keys(value)) if (!known.has(key)) yield `${path}${key}: Extra inputs are not permitted`;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
