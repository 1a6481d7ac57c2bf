import type { World } from '../../world.ts';
import type { Json } from './request.ts';
import { textOf } from './request.ts';

// OpenRouter's reasoning details carry the seal of the vendor behind it. The simulator seals with its own key and opens
// every seal that comes back: one changed character, or another model, and it does not fit.

const FORMATS: readonly (readonly [string, string])[] = [
  ['anthropic/', 'anthropic-claude-v1'],
  ['openai/', 'openai-responses-v1'],
  ['google/', 'google-gemini-v1'],
  ['x-ai/', 'xai-responses-v1'],
];

/** The simulator's own models sign like Anthropic's; a gateway's other vendors seal nothing. */
export function formatOf(model: string): string {
  const known = FORMATS.find(([prefix]) => model.startsWith(prefix))?.[1];
  return known ?? (model.includes('/') ? 'unknown' : 'anthropic-claude-v1');
}

export function signText(world: World, model: string, text: string): string {
  return world.sign('openai-chat thinking', `${model}\n${text}`);
}

export function encrypt(world: World, model: string, secret: string): string {
  const payload = Buffer.from(secret, 'utf8').toString('base64');
  return `${payload}.${world.sign('openai-chat encrypted', `${model}\n${payload}`)}`;
}

/** What is wrong with an entry, in the words of the vendor behind the gateway; null if its seal is intact. */
export function brokenSeal(world: World, model: string, entry: Json): string | null {
  const signature = textOf(entry, 'signature');
  if (signature !== null && signature !== signText(world, model, textOf(entry, 'text') ?? '')) {
    return 'Invalid `signature` in `thinking` block';
  }
  const data = textOf(entry, 'data');
  if (entry['type'] !== 'reasoning.encrypted' || data === null) return null;
  const [payload = '', seal = ''] = data.split('.');
  return seal === world.sign('openai-chat encrypted', `${model}\n${payload}`)
    ? null
    : 'The encrypted content could not be verified.';
}
