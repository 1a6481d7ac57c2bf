import type { Json } from './wire.ts';

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

export function unknownParameter(body: Json): string | null {
  return Object.keys(body).find((key) => !KNOWN.has(key)) ?? null;
}
