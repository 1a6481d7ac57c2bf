import type { GeminiPart, GeminiRequest } from '@bough/providers';
import type { World } from '../../world.ts';
import { sign } from './signatures.ts';

/** The tools that Google runs, by the field that offers them. */
const TOOL_TYPES: Readonly<Record<string, string>> = {
  googleSearch: 'GOOGLE_SEARCH_WEB',
  urlContext: 'URL_CONTEXT',
  googleMaps: 'GOOGLE_MAPS',
  fileSearch: 'FILE_SEARCH',
};

/** A call of an offered tool and its result, each with its own signature; nothing unless the client asks for them. */
export function serverToolParts(
  { tools = [], toolConfig }: GeminiRequest,
  { model, reply }: { readonly model: string; readonly reply: string },
  world: World,
): readonly GeminiPart[] {
  if (toolConfig?.includeServerSideToolInvocations !== true) return [];
  const offered = Object.entries(TOOL_TYPES).find(([field]) => tools.some((tool) => tool[field] !== undefined));
  if (offered === undefined) return [];
  const [, toolType] = offered;
  const id = world.newId('', 8).toLowerCase();
  const parts: readonly GeminiPart[] = [
    { toolCall: { id, toolType, args: { query: 'trees' } } },
    { toolResponse: { id, toolType, response: { result: ['A tree is a plant.'] } } },
  ];
  return parts.map((part) => ({ ...part, thoughtSignature: sign(world, model, part, reply) }));
}
