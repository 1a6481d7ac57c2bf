import { isPlainObject } from '@bough/core';
import type { Json } from './wire.ts';
import { kindOf, records, strings, text } from './wire.ts';

/** A tool that the client runs, as the request offers it. */
export interface OfferedTool {
  readonly name: string;
  /** The type of the item that calls it. */
  readonly call: CallType;
  readonly namespace: string | null;
  /** The model need not wait for its result. */
  readonly isAsync: boolean;
  /** A program may call it. */
  readonly programmatic: boolean;
  /** It is found by a search before it can be called. */
  readonly deferred: boolean;
  readonly inputSchema: Json;
}

export type CallType =
  | 'function_call'
  | 'custom_tool_call'
  | 'shell_call'
  | 'local_shell_call'
  | 'apply_patch_call'
  | 'computer_call';

const BUILT_IN: Readonly<Record<string, CallType>> = {
  shell: 'shell_call',
  local_shell: 'local_shell_call',
  apply_patch: 'apply_patch_call',
  computer: 'computer_call',
  computer_use_preview: 'computer_call',
};

const TEXT_INPUT = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/** Everything that the model could call: the tools of the request, and those that items of its history add. */
export function offeredTools(body: Json, items: readonly Json[]): readonly OfferedTool[] {
  const added = items.filter((item) => kindOf(item) === 'additional_tools');
  return [body, ...added].flatMap((holder) => toolsIn(holder, null));
}

function toolsIn(holder: Json, namespace: string | null): readonly OfferedTool[] {
  return records(holder['tools']).flatMap((tool): readonly OfferedTool[] => {
    const type = text(tool['type']);
    if (type === 'namespace') return toolsIn(tool, text(tool['name']));
    const call = type === 'function' ? 'function_call' : type === 'custom' ? 'custom_tool_call' : BUILT_IN[type];
    if (call === undefined || isHosted(tool)) return [];
    return [
      {
        name: text(tool['name']) || type,
        call,
        namespace,
        isAsync: tool['async'] === true,
        programmatic: strings(tool['allowed_callers']).includes('programmatic'),
        deferred: tool['defer_loading'] === true,
        inputSchema: schemaOf(tool, call),
      },
    ];
  });
}

/** A shell in a container is run by the provider. */
function isHosted(tool: Json): boolean {
  const environment = isPlainObject(tool['environment']) ? text(tool['environment']['type']) : '';
  return text(tool['type']) === 'shell' && environment.startsWith('container');
}

function schemaOf(tool: Json, call: CallType): Json {
  if (call === 'function_call') return isPlainObject(tool['parameters']) ? tool['parameters'] : {};
  return call === 'custom_tool_call' ? TEXT_INPUT : {};
}

export const hasTool = (body: Json, type: string): boolean =>
  records(body['tools']).some((tool) => tool['type'] === type);

/** The tools that the request forces the model to use. */
export function forcedTools(body: Json, tools: readonly OfferedTool[]): readonly string[] {
  const choice = body['tool_choice'];
  if (choice === 'required') return tools.map(({ name }) => name);
  if (!isPlainObject(choice)) return [];
  const allowed =
    choice['type'] === 'allowed_tools' && choice['mode'] === 'required' ? records(choice['tools']) : [choice];
  return allowed.map((tool) => text(tool['name']) || text(tool['type']));
}
