import type { World } from '../../world.ts';
import type { HistoryFinding } from './history.ts';
import { isContainer } from './memory.ts';
import type { Json } from './wire.ts';
import { records } from './wire.ts';

/** What the API knows. The rulebook leaves unknown parameters of clients alone; the API refuses them. */
const KNOWN: ReadonlySet<string> = new Set([
  'access_programs',
  'background',
  // Not documented; the vendor's own command-line client sends it.
  'client_metadata',
  'context_management',
  'conversation',
  'generate',
  'image',
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

/** A parameter that the API does not know, or one that names what is gone. */
export function judgeParameters(body: Json, world: World): HistoryFinding | null {
  const key = Object.keys(body).find((candidate) => !KNOWN.has(candidate));
  if (key !== undefined) {
    const message = `Unknown parameter: '${key}'.`;
    return { rule: 'SIM-OAR-PARAMETER', status: 400, message, param: key, code: 'unknown_parameter' };
  }
  const expired = records(body['tools']).some(
    ({ type, container }) =>
      type === 'code_interpreter' && typeof container === 'string' && !isContainer(world, container),
  );
  if (!expired) return null;
  return { rule: 'SIM-OAR-CONTAINER', status: 400, message: 'Container is expired.', param: null, code: null };
}
