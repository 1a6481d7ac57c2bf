import type { WireItem } from '../../wire.ts';
import type { Case } from './case.ts';
import { added, ask, more, stateless, stored, sum, tool, withParameters } from './case.ts';

// Cases of the rules about calls of other kinds than functions, programs, tools inside the input, and settings.

const later = { ...added, async: true };
const patch = {
  type: 'custom_tool_call',
  id: 'ctc_p',
  call_id: 'call_p',
  name: 'apply',
  input: '*** Begin Patch',
  async: true,
};
const screen = {
  type: 'computer_call',
  id: 'cu_1',
  call_id: 'call_s',
  status: 'completed',
  action: { type: 'screenshot' },
  pending_safety_checks: [{ id: 'cu_sc_1', code: 'malicious_instructions', message: 'Look out.' }],
};
const shot = {
  type: 'computer_call_output',
  call_id: 'call_s',
  output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA==' },
};
const local = { type: 'local_shell_call', id: 'lsh_1', call_id: 'call_l', status: 'completed', action: {} };
const program = { type: 'program', id: 'prog_1', call_id: 'call_prog', code: 'add(1)', fingerprint: 'fp-1' };
const caller = { type: 'program', caller_id: 'call_prog' };
const called = { ...added, caller };
const got = { ...sum, caller };
const returned = { type: 'program_output', id: 'progo_1', call_id: 'call_prog', result: '1', status: 'completed' };
const approval = { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 's', name: 'n', arguments: '{}' };
const approved = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };
const update = { type: 'configuration_update', reasoning: { effort: 'high' } };
const space = { type: 'namespace', name: 'crm', description: 'Customers.', tools: [tool({}, 'find')] };
const found: WireItem = { type: 'function_call', call_id: 'call_f', name: 'find', arguments: '{}' };
const hit = { type: 'function_call_output', call_id: 'call_f', output: 'x' };
const searched = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } };
const addedTools = (...tools: readonly unknown[]): WireItem => ({ type: 'additional_tools', role: 'developer', tools });

export const ITEM_CASES: readonly Case[] = [
  {
    rule: 'OAR-SHAPE-1',
    pass: [stateless(ask, program, called, got, returned, more)],
    fail: stateless(ask, { ...program, fingerprint: undefined }, called, got, returned, more),
    message: /^Missing required parameter: 'input\[1\]\.fingerprint'\.$/,
  },
  {
    rule: 'OAR-SHAPE-1',
    pass: [stateless(ask, found, { type: 'function_call_output', name: 'find', output: 'x' })],
    fail: stateless(ask, found, { type: 'function_call_output', output: 'x' }),
    message: /^Missing required parameter: 'input\[2\]\.call_id'\.$/,
  },
  {
    rule: 'OAR-SHAPE-1',
    pass: [stateless(addedTools(tool({}, 'find'), space), ask), withParameters({ tools: [space] })],
    fail: stateless(addedTools({ ...space, tools: [{ type: 'function' }] }), ask),
    message: /^Missing required parameter: 'input\[0\]\.tools\[0\]\.tools\[0\]\.name'\.$/,
  },
  {
    rule: 'OAR-SHAPE-1',
    pass: [stateless({ role: 'user', content: [{ type: 'input_text', text: 'Q' }] })],
    fail: stateless({ role: 'user', content: { type: 'input_text', text: 'Q' } }),
    message:
      /^Invalid type for 'input\[0\]\.content': expected one of an array of objects or string, but got an object/,
  },
  {
    rule: 'OAR-REASON-4',
    pass: [stateless(ask, searched, more), stored(ask, { type: 'web_search_call', id: 'ws_1' }, more)],
    fail: stateless(ask, { type: 'web_search_call', id: 'ws_1', status: 'completed' }, more),
    message: /^Item with id 'ws_1' not found\. Items are not persisted when `store` is set to false\./,
  },
  {
    rule: 'OAR-REASON-5',
    pass: [stateless({ type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA-c' }, more)],
    fail: stateless({ type: 'compaction', id: 'cmp_1', encrypted_content: 'We spoke of trees.' }, more),
    message: /^The encrypted content for item cmp_1 could not be verified\./,
  },
  {
    rule: 'OAR-ID-1',
    pass: [stateless(ask, local, { type: 'local_shell_call_output', id: 'lsh_1', output: 'x' })],
    fail: stateless(ask, local, { type: 'local_shell_call_output', id: 'lsh_1', output: 'x' }, local),
    message: /^Duplicate item found with id lsh_1\./,
  },
  {
    rule: 'OAR-PROG-1',
    pass: [
      stateless(ask, program, called, got, returned, more),
      stateless(ask, program, called, got),
      { ...stored(got), previous_response_id: 'resp_1' },
    ],
    fail: stateless(ask, called, got, returned, more),
    message: /^No program found for function call with caller_id call_prog\.$/,
  },
  {
    rule: 'OAR-PAIR-1',
    pass: [
      stateless(ask, later, more),
      stateless(ask, patch, more),
      stateless(ask, later, more, { role: 'assistant', content: 'Meanwhile …' }, sum),
      stateless(ask, found, { type: 'function_call_output', name: 'find', output: 'x' }),
      stateless(
        ask,
        { type: 'shell_call', call_id: 'call_h', action: {}, environment: { type: 'container_auto' } },
        more,
      ),
    ],
    fail: stateless(ask, { ...patch, async: false }, more),
    message: /^No tool output found for custom tool call call_p\.$/,
  },
  {
    rule: 'OAR-PAIR-1',
    pass: [stateless(ask, program, called, got)],
    fail: stateless(ask, program, called, more),
    message: /^No tool output found for function call call_c\.$/,
  },
  {
    rule: 'OAR-PAIR-3',
    pass: [stateless(ask, patch, { type: 'custom_tool_call_output', call_id: 'call_p', output: 'Done.' })],
    fail: stateless(ask, patch, { type: 'function_call_output', call_id: 'call_p', output: 'Done.' }),
    message: /^No tool call found for function call output with call_id call_p\.$/,
  },
  {
    rule: 'OAR-PAIR-4',
    pass: [stateless(ask, approval, approved), { ...stored(approved), previous_response_id: 'resp_1' }],
    fail: stateless(ask, approved),
    message: /^No approval request found/,
  },
  {
    rule: 'OAR-PAIR-5',
    pass: [stateless(ask, screen, { ...shot, acknowledged_safety_checks: [{ id: 'cu_sc_1' }] })],
    fail: stateless(ask, screen, shot),
    message: /^Computer tool has unacknowledged safety check for \['cu_sc_1'\]$/,
  },
  {
    rule: 'OAR-CONFIG-1',
    model: 'gpt-6-sol',
    pass: [stateless(ask, update, more)],
    fail: { ...stateless(ask, update, more), reasoning: { mode: 'pro' } },
    message: /^The 'configuration_update' item type is not supported with pro or tournament models\.$/,
  },
  {
    rule: 'OAR-CONFIG-1',
    model: 'gpt-5-pro',
    pass: [stateless(ask, more)],
    fail: stateless(ask, update, more),
    message: /^The 'configuration_update' item type/,
  },
  {
    rule: 'OAR-PARAM-2',
    model: 'gpt-6-sol',
    pass: [withParameters({ reasoning: { effort: 'none' }, temperature: 0.5 })],
    fail: withParameters({ reasoning: { effort: 'low' }, top_p: 0.5 }),
    message: /^Unsupported parameter: 'top_p' is not supported with this model\.$/,
  },
  {
    rule: 'OAR-PARAM-2',
    model: 'gpt-6-astra',
    pass: [withParameters({})],
    fail: withParameters({ temperature: 0.5 }),
    message: /^Unsupported parameter: 'temperature'/,
  },
  {
    rule: 'OAR-TOOL-1',
    pass: [stateless(addedTools({ ...space, tools: [tool({ type: 'object', properties: {} })] }), ask)],
    fail: stateless(addedTools({ ...space, tools: [tool({ type: 'object' }, 'find')] }), ask),
    message: /^Invalid schema for function 'find'/,
  },
  {
    rule: 'OAR-LOSS-4',
    pass: [
      { ...stateless(ask, { ...found, namespace: 'crm' }, hit), tools: [space] },
      { ...stateless(ask, found, hit), tools: [space, tool({}, 'find')] },
    ],
    fail: { ...stateless(ask, found, hit), tools: [space] },
    message: /ambiguous/,
  },
];
