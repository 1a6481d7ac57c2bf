import type { Finding } from '../../rulebook/rule.ts';
import { isMessage, itemId } from './items.ts';
import type { ResponsesBody, ResponsesRule, RuleContext } from './rules/context.ts';
import { placedItems, rejection } from './rules/context.ts';
import type { WireItem } from './wire.ts';
import { listOf, objectOf, typeOf } from './wire.ts';

type FieldType = 'string' | 'array' | 'text or array';

/** The fields that an item must have, by type. Items of the provider's own tools are only ever sent back whole. */
const ITEMS: ReadonlyMap<string, Readonly<Record<string, FieldType>>> = new Map<string, Record<string, FieldType>>([
  ['reasoning', { summary: 'array' }],
  ['function_call', { call_id: 'string', name: 'string', arguments: 'string' }],
  ['function_call_output', { output: 'text or array' }],
  ['custom_tool_call', { call_id: 'string', name: 'string', input: 'string' }],
  ['custom_tool_call_output', { call_id: 'string', output: 'text or array' }],
  ['item_reference', { id: 'string' }],
  ['compaction', { encrypted_content: 'string' }],
  ['compaction_trigger', {}],
  ['configuration_update', {}],
  ['program', { call_id: 'string', code: 'string', fingerprint: 'string' }],
  ['program_output', { call_id: 'string', result: 'string' }],
  ['additional_tools', { tools: 'array' }],
  ['shell_call_output', { call_id: 'string', output: 'array' }],
  ['apply_patch_call_output', { call_id: 'string', status: 'string' }],
  ['mcp_approval_response', { approval_request_id: 'string' }],
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
    'apply_patch_call',
    'tool_search_call',
    'tool_search_output',
    'mcp_call',
    'mcp_list_tools',
    'mcp_approval_request',
  ].map((type): [string, Record<string, FieldType>] => [type, {}]),
]);

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer']);
const PARTS_BY_ASSISTANT = ['output_text', 'refusal'];
const PARTS_BY_OTHERS = ['input_text', 'input_image', 'input_file', 'input_audio'];

/**
 * The JSON has the form that the API's own schema requires. No repair: a body that does not was not built here. A
 * parameter that is not listed here is no reason to refuse: clients send parameters that are newer than this list.
 */
export const bodyHasItsShape: ResponsesRule = {
  id: 'OAR-SHAPE-1',
  title: 'The body has the items that the API knows, with the fields that they need.',
  reference: 'https://platform.openai.com/docs/api-reference/responses/create',
  kind: 'rejection',
  check: (body, context) => [...requiredParameters(body), ...inputShape(body, context), ...toolShape(body, 'tools')],
};

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
    return [
      ...Object.entries(fields).flatMap(([key, type]) => fieldShape(item[key], `${path}.${key}`, type)),
      ...(typeOf(item) === 'function_call_output' ? answerNamesItsCall(item, path) : []),
      ...(typeOf(item) === 'additional_tools' ? toolShape(item, `${path}.tools`) : []),
    ];
  }
  // An item of a future type: the provider takes back what it made.
  if (context.issued?.has(itemId(item) ?? '') === true) return [];
  return [wrongValue(`${path}.type`, typeOf(item), ['message', ...ITEMS.keys()])];
}

/** By the id of the call; a result that gives the tool's name may go without it. */
function answerNamesItsCall(item: WireItem, path: string): Finding[] {
  if (item['call_id'] == null && typeof item['name'] === 'string') return [];
  return fieldShape(item['call_id'] ?? undefined, `${path}.call_id`, 'string');
}

function messageShape(item: WireItem, path: string): Finding[] {
  const role = item['role'];
  if (!ROLES.has(role)) return [wrongValue(`${path}.role`, String(role), [...ROLES].map(String))];
  const content = item['content'];
  if (typeof content === 'string') return [];
  if (content == null) return [missing(`${path}.content`)];
  if (!Array.isArray(content)) return [wrongType(`${path}.content`, 'one of an array of objects or string', content)];
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

/** The tools of a request, of an item that adds some, or of a namespace. */
function toolShape(holder: WireItem, path: string): Finding[] {
  return listOf(holder['tools']).flatMap((value, at): Finding[] => {
    const tool = objectOf(value);
    const place = `${path}[${at}]`;
    if (tool === undefined) return [wrongType(place, 'an object', value)];
    switch (tool['type']) {
      case undefined:
        return [missing(`${place}.type`)];
      case 'function':
      case 'custom':
        return fieldShape(tool['name'], `${place}.name`, 'string');
      case 'namespace':
        return [
          ...fieldShape(tool['name'], `${place}.name`, 'string'),
          ...fieldShape(tool['tools'], `${place}.tools`, 'array'),
          ...toolShape(tool, `${place}.tools`),
        ];
      default:
        return [];
    }
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
