import type { ReplyPart } from '../../reply.ts';
import type { World } from '../../world.ts';
import type { OfferedTool } from './tools.ts';
import type { Json } from './wire.ts';
import { text } from './wire.ts';

type Call = Extract<ReplyPart, { type: 'tool_call' }>;

/** A planned call as the item that the type of its tool asks for. */
export function callItem({ name, parameters }: Call, tool: OfferedTool | undefined, caller: Json, world: World): Json {
  const id = (prefix: string): Json => ({ id: world.newId(prefix, 48) });
  const call = { status: 'completed', call_id: world.newId('call_', 24) };
  switch (tool?.call) {
    case undefined:
    case 'function_call':
      return {
        ...id('fc_'),
        type: 'function_call',
        ...call,
        name,
        arguments: JSON.stringify(parameters),
        ...(tool?.namespace != null && { namespace: tool.namespace }),
        ...(tool?.isAsync === true && { async: true }),
        ...caller,
      };
    case 'custom_tool_call':
      return {
        ...id('ctc_'),
        type: 'custom_tool_call',
        ...call,
        name,
        input: text(parameters['input']),
        ...(tool.namespace !== null && { namespace: tool.namespace }),
        ...(tool.isAsync && { async: true }),
        ...caller,
      };
    case 'shell_call':
      return {
        ...id('sh_'),
        type: 'shell_call',
        ...call,
        action: { commands: ['ls'], timeout_ms: null, max_output_length: null },
        environment: { type: 'local' },
        ...caller,
      };
    case 'local_shell_call':
      return { ...id('lsh_'), type: 'local_shell_call', ...call, action: { type: 'exec', command: ['ls'], env: {} } };
    case 'apply_patch_call':
      return {
        ...id('apc_'),
        type: 'apply_patch_call',
        ...call,
        operation: { type: 'create_file', path: 'note.txt', diff: '+A note.\n' },
        ...caller,
      };
    case 'computer_call':
      return {
        ...id('cu_'),
        type: 'computer_call',
        ...call,
        action: { type: 'screenshot' },
        pending_safety_checks: [
          { id: `cu_sc_${call.call_id}`, code: 'irrelevant_domain', message: 'The screen shows another site.' },
        ],
      };
  }
}
