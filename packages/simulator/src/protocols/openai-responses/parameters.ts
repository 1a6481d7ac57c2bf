import { letsIn } from '../../remote-mcp/index.ts';
import type { World } from '../../world.ts';
import type { HistoryFinding } from './history.ts';
import { expireContainer, isContainer, isExpired, rememberContainer } from './memory.ts';
import type { Json } from './wire.ts';
import { records, text } from './wire.ts';

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
export function judgeParameters(
  body: Json,
  items: readonly Json[],
  isExpiring: boolean,
  world: World,
): HistoryFinding | null {
  const key = Object.keys(body).find((candidate) => !KNOWN.has(candidate));
  if (key !== undefined) {
    const message = `Unknown parameter: '${key}'.`;
    return { rule: 'SIM-OAR-PARAMETER', status: 400, message, param: key, code: 'unknown_parameter' };
  }
  const closed = records(body['tools']).find(
    ({ type, server_url: url, authorization }) => type === 'mcp' && !letsIn(url, authorization),
  );
  if (closed !== undefined) {
    const label = text(closed['server_label']);
    const message = `Error retrieving tool list from MCP server: '${label}'. Http status code: 401 (Unauthorized)`;
    return { rule: 'SIM-OAR-MCP', status: 424, message, param: 'tools', code: 'http_error' };
  }
  const expired = records(body['tools']).some(
    ({ type, container }) =>
      type === 'code_interpreter' && typeof container === 'string' && !isContainer(world, container),
  );
  const used = [...new Set(items.map((item) => text(item['container_id'])).filter((id) => id !== ''))];
  if (isExpiring) for (const id of used) expireContainer(world, id);
  const isGone = expired || used.some((id) => isExpired(world, id));
  if (!isGone) {
    for (const id of used) if (isContainer(world, id)) rememberContainer(world, id);
    return null;
  }
  return { rule: 'SIM-OAR-CONTAINER', status: 400, message: 'Container is expired.', param: null, code: null };
}
