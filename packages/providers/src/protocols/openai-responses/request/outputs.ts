import type { ContentBlock, ContextItem } from '@bough/core';
import { isAttachedBlock, textNamingFiles } from '@bough/core';
import { parseJson } from '../../../render/json-text.ts';
import { answerType, itemId, programOf } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { objectOf, typeOf } from '../wire.ts';
import { inputParts } from './files.ts';

/**
 * A result as the item that its call asks for; null if the text cannot become one (a screenshot, a list of tools).
 * `call` is the call as it is sent; without it, the call is a function's.
 */
export function outputItem(result: ContextItem, callId: string, call: WireItem | undefined): WireItem | null {
  const content: readonly ContentBlock[] = result.message.content;
  const text = textNamingFiles(content);
  const output = content.some(isAttachedBlock) ? inputParts(content) : text;
  if (call === undefined) return { type: 'function_call_output', call_id: callId, output };
  const caller = programOf(call) === undefined ? {} : { caller: call['caller'] };
  const failed = result.isError === true;
  const written = writtenOutput(text, call, callId);
  if (written !== null) return written;
  switch (typeOf(call)) {
    case 'function_call':
    case 'custom_tool_call':
      // What a program asked for is text to it.
      return { type: answerType(call), call_id: callId, output: 'caller' in caller ? text : output, ...caller };
    case 'local_shell_call':
      return { type: 'local_shell_call_output', id: itemId(call) ?? callId, call_id: callId, output: text };
    case 'shell_call': {
      const outcome = { type: 'exit', exit_code: failed ? 1 : 0 };
      const output = [{ stdout: failed ? '' : text, stderr: failed ? text : '', outcome }];
      return { type: 'shell_call_output', call_id: callId, output, ...caller };
    }
    case 'apply_patch_call':
      return {
        type: 'apply_patch_call_output',
        call_id: callId,
        status: failed ? 'failed' : 'completed',
        output: text,
        ...caller,
      };
    default:
      return null;
  }
}

/**
 * A client that ran one of the provider's own tools has the whole item as its result (a screenshot, several outputs of
 * a shell): that goes back as the client made it. The result of a function is never read this way: a tool may return
 * anything.
 */
function writtenOutput(text: string, call: WireItem, callId: string): WireItem | null {
  if (typeOf(call) === 'function_call' || !text.trimStart().startsWith('{')) return null;
  const item = objectOf(parseJson(text));
  if (item === undefined || typeOf(item) !== answerType(call)) return null;
  const named = item['call_id'] ?? item['id'];
  return named === call['call_id'] || named === callId || named === itemId(call)
    ? { ...item, ...(item['call_id'] !== undefined && { call_id: callId }) }
    : null;
}

/** What the bytes of a result depend on beside its own text: nothing, if it answers a function called by the model. */
export function mannerOfOutput(call: WireItem | undefined): string {
  if (call === undefined) return '';
  const program = programOf(call);
  if (typeOf(call) === 'function_call') return program === undefined ? '' : `|${program}`;
  return `|${typeOf(call)}|${itemId(call) ?? ''}|${program ?? ''}`;
}
