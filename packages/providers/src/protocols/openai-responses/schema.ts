import type { Finding } from '../../rulebook/rule.ts';
import { isMessage, itemId } from './items.ts';
import type { ResponsesBody, ResponsesRule, RuleContext } from './rules/context.ts';
import { isOpenAi, placedItems, rejection } from './rules/context.ts';
import type { WireItem } from './wire.ts';
import { listOf, objectOf, typeOf } from './wire.ts';

const PARAMETERS: ReadonlySet<string> = new Set([
  'background',
  'context_management',
  'conversation',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'moderation',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
]);

type FieldType = 'string' | 'array' | 'text or array';

/** The fields that an item must have, by type. Items of the provider's own tools are only ever sent back whole. */
const ITEMS: ReadonlyMap<string, Readonly<Record<string, FieldType>>> = new Map<string, Record<string, FieldType>>([
  ['reasoning', { summary: 'array' }],
  ['function_call', { call_id: 'string', name: 'string', arguments: 'string' }],
  ['function_call_output', { call_id: 'string', output: 'text or array' }],
  ['custom_tool_call', { call_id: 'string', name: 'string', input: 'string' }],
  ['custom_tool_call_output', { call_id: 'string', output: 'text or array' }],
  ['item_reference', { id: 'string' }],
  ['compaction', { encrypted_content: 'string' }],
  ['compaction_trigger', {}],
  ['configuration_update', {}],
  ...[
    'web_search_call',
    'file_search_call',
    'code_interpreter_call',
    'image_generation_call',
    'computer_call',
    'computer_call_output',
    'local_shell_call',
    'local_shell_call_output',
    'shell_call',
    'shell_call_output',
    'apply_patch_call',
    'apply_patch_call_output',
    'tool_search_call',
    'tool_search_output',
    'additional_tools',
    'program',
    'program_output',
    'mcp_call',
    'mcp_list_tools',
    'mcp_approval_request',
    'mcp_approval_response',
  ].map((type): [string, Record<string, FieldType>] => [type, {}]),
]);

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer']);
const PARTS_BY_ASSISTANT = ['output_text', 'refusal'];
const PARTS_BY_OTHERS = ['input_text', 'input_image', 'input_file', 'input_audio'];

/** The JSON has the form that the API's own schema requires. No repair: a body that does not was not built here. */
export const bodyHasItsShape: ResponsesRule = {
  id: 'OAR-SHAPE-1',
  title: 'The body has the parameters and items that the API knows, with the fields that they need.',
  reference: 'https://platform.openai.com/docs/api-reference/responses/create',
  kind: 'rejection',
  check: (body, context) => [
    ...(isOpenAi(context) ? unknownParameters(body) : []),
    ...requiredParameters(body),
    ...inputShape(body, context),
    ...toolShape(body),
  ],
};

function unknownParameters(body: ResponsesBody): Finding[] {
  return Object.keys(body)
    .filter((key) => !PARAMETERS.has(key))
    .map((key) => rejection(key, `Unknown parameter: '${key}'.`, 'unknown_parameter'));
}

function requiredParameters(body: ResponsesBody): Finding[] {
  const findings: Finding[] = [];
  if (typeof body['model'] !== 'string' && body['prompt'] == null) findings.push(missing('model'));
  const held = ['previous_response_id', 'prompt', 'conversation'].some((key) => body[key] != null);
  const input = body['input'];
  if (!held && (input == null || (Array.isArray(input) && input.length === 0))) {
    const message = "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.";
    findings.push(rejection('input', message, 'missing_required_parameter'));
  }
  return findings;
}

function inputShape(body: ResponsesBody, context: RuleContext): Finding[] {
  const input = body['input'];
  if (input == null || typeof input === 'string') return [];
  if (!Array.isArray(input)) return [wrongType('input', 'one of an array of objects or string', input)];
  const strangers = input.flatMap((value, at) =>
    objectOf(value) === undefined ? [wrongType(`input[${at}]`, 'an object', value)] : [],
  );
  return [...strangers, ...placedItems(body).flatMap(({ item, at }) => itemShape(item, `input[${at}]`, context))];
}

function itemShape(item: WireItem, path: string, context: RuleContext): Finding[] {
  if (isMessage(item)) return messageShape(item, path);
  const fields = ITEMS.get(typeOf(item));
  if (fields !== undefined) {
    return Object.entries(fields).flatMap(([key, type]) => fieldShape(item[key], `${path}.${key}`, type));
  }
  // An item of a future type: the provider takes back what it made.
  if (context.issued?.has(itemId(item) ?? '') === true) return [];
  return [wrongValue(`${path}.type`, typeOf(item), ['message', ...ITEMS.keys()])];
}

function messageShape(item: WireItem, path: string): Finding[] {
  const role = item['role'];
  if (!ROLES.has(role)) return [wrongValue(`${path}.role`, String(role), [...ROLES].map(String))];
  const content = item['content'];
  if (typeof content === 'string') return [];
  if (content == null) return [missing(`${path}.content`)];
  const supported = role === 'assistant' ? PARTS_BY_ASSISTANT : PARTS_BY_OTHERS;
  return listOf(content).flatMap((value, at): Finding[] => {
    const part = objectOf(value);
    const place = `${path}.content[${at}]`;
    if (part === undefined) return [wrongType(place, 'an object', value)];
    if (!supported.includes(typeOf(part))) return [wrongValue(place, typeOf(part), supported)];
    const key = typeOf(part) === 'refusal' ? 'refusal' : 'text';
    return typeOf(part).endsWith(key) ? fieldShape(part[key], `${place}.${key}`, 'string') : [];
  });
}

function toolShape(body: ResponsesBody): Finding[] {
  return listOf(body['tools']).flatMap((value, at): Finding[] => {
    const tool = objectOf(value);
    if (tool === undefined) return [wrongType(`tools[${at}]`, 'an object', value)];
    if (tool['type'] === undefined) return [missing(`tools[${at}].type`)];
    return tool['type'] === 'function' ? fieldShape(tool['name'], `tools[${at}].name`, 'string') : [];
  });
}

function fieldShape(value: unknown, path: string, type: FieldType): Finding[] {
  if (value === undefined) return [missing(path)];
  const fits = (type !== 'array' && typeof value === 'string') || (type !== 'string' && Array.isArray(value));
  if (fits) return [];
  return [
    wrongType(path, type === 'string' ? 'a string' : type === 'array' ? 'an array' : 'one of a string or array', value),
  ];
}

function missing(path: string): Finding {
  return rejection(path, `Missing required parameter: '${path}'.`, 'missing_required_parameter');
}

function wrongType(path: string, expected: string, value: unknown): Finding {
  return rejection(
    path,
    `Invalid type for '${path}': expected ${expected}, but got ${nameOf(value)} instead.`,
    'invalid_type',
  );
}

function wrongValue(path: string, value: string, supported: readonly string[]): Finding {
  const list = supported.map((candidate) => `'${candidate}'`).join(', ');
  return rejection(path, `Invalid value: '${value}'. Supported values are: ${list}.`, 'invalid_value');
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'boolean' ? 'a boolean' : `a ${typeof value}`;
}
