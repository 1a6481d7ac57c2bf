import type { ReplyPart } from '../../reply.ts';
import type { World } from '../../world.ts';
import type { CallType, OfferedTool } from './tools.ts';
import type { Json } from './wire.ts';
import { text } from './wire.ts';

type Call = Extract<ReplyPart, { type: 'tool_call' }>;

/** How the API begins the ids of each kind. */
const PREFIXES: Readonly<Record<CallType, string>> = {
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  shell_call: 'sh_',
  local_shell_call: 'lsh_',
  apply_patch_call: 'apc_',
  computer_call: 'cu_',
};

/** A planned call as the item that the type of its tool asks for. */
export function callItem({ name, parameters }: Call, tool: OfferedTool | undefined, caller: Json, world: World): Json {
  const type = tool?.call ?? 'function_call';
  const id = world.newId(PREFIXES[type], 48);
  const call_id = world.newId('call_', 24);
  const call = { id, type, status: 'completed', call_id };
  switch (type) {
    case 'function_call':
      return {
        ...call,
        name,
        arguments: JSON.stringify(parameters),
        ...(tool?.namespace != null && { namespace: tool.namespace }),
        ...(tool?.isAsync === true && { async: true }),
        ...caller,
      };
    case 'custom_tool_call':
      return {
        ...call,
        name,
        input: text(parameters['input']),
        ...(tool?.namespace != null && { namespace: tool.namespace }),
        ...(tool?.isAsync === true && { async: true }),
        ...caller,
      };
    case 'shell_call':
      return {
        ...call,
        action: { commands: ['ls'], timeout_ms: null, max_output_length: null },
        environment: { type: 'local' },
        ...caller,
      };
    case 'local_shell_call':
      return { ...call, action: { type: 'exec', command: ['ls'], env: {} } };
    case 'apply_patch_call':
      return {
        ...call,
        operation: { type: 'create_file', path: 'note.txt', diff: '+A note.\n' },
        ...caller,
      };
    case 'computer_call':
      return {
        ...call,
        action: { type: 'screenshot' },
        pending_safety_checks: [
          { id: `cu_sc_${call_id}`, code: 'irrelevant_domain', message: 'The screen shows another site.' },
        ],
      };
  }
}
