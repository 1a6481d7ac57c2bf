import type { SimulatedRequest } from '../simulated-protocol.ts';

export interface KeyRefusal {
  readonly status: number;
  readonly message: string;
}

/** Why a key is refused, with the status and in the words of the vendor; null if it is accepted. */
export function keyRefusal(keys: readonly string[] | null, request: SimulatedRequest): KeyRefusal | null {
  const { path, headers } = request;
  // OpenRouter shows its list of models to everybody: only its own page about the key tells whether that is right.
  if (keys === null || /\/openrouter\/.*\/models$/.test(path)) return null;
  const given =
    headers['x-api-key'] ??
    headers['x-goog-api-key'] ??
    headers['api-key'] ??
    headers['authorization']?.replace(/^Bearer /i, '');
  if (given !== undefined && keys.includes(given)) return null;
  // Google says it with a 400: https://ai.google.dev/gemini-api/docs/troubleshooting
  if (path.includes('/v1beta/')) return { status: 400, message: 'API key not valid. Please pass a valid API key.' };
  if (headers['anthropic-version'] !== undefined) {
    return { status: 401, message: given === undefined ? 'x-api-key header is required' : 'invalid x-api-key' };
  }
  if (given === undefined) return { status: 401, message: "You didn't provide an API key." };
  // OpenAI quotes the key, with its middle hidden.
  const shown = `${given.slice(0, 8)}${'*'.repeat(Math.max(0, given.length - 12))}${given.slice(-4)}`;
  const advice = 'You can find your API key at https://platform.openai.com/account/api-keys.';
  return { status: 401, message: `Incorrect API key provided: ${shown}. ${advice}` };
}
