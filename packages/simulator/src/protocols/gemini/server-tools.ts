import type { GeminiPart, GeminiRequest } from '@bough/providers';
import type { ProviderToolName } from '@bough/core';
import type { Script } from '../../commands/index.ts';
import { drawnPicture } from '../../picture/index.ts';
import type { ReplyPart } from '../../reply.ts';
import type { World } from '../../world.ts';
import { sign } from './signatures.ts';

interface Kind {
  readonly field: string;
  readonly toolType: string;
  /** The command that says what it does. */
  readonly tool: ProviderToolName | null;
}

/** The tools that Google runs, by the field that offers them. */
const KINDS: readonly Kind[] = [
  { field: 'googleSearch', toolType: 'GOOGLE_SEARCH_WEB', tool: 'web_search' },
  { field: 'urlContext', toolType: 'URL_CONTEXT', tool: 'web_fetch' },
  { field: 'googleMaps', toolType: 'GOOGLE_MAPS', tool: null },
  { field: 'fileSearch', toolType: 'FILE_SEARCH', tool: 'file_search' },
];

interface Options {
  readonly model: string;
  readonly reply: string;
  /** Whether the model signs what its tools did. */
  readonly signs: boolean;
}

/**
 * What the offered tools did. Calls of them are shown only if the client asks for them, each with its own signature;
 * code and its result are shown always.
 */
export function serverToolParts(
  request: GeminiRequest,
  { hosted }: Pick<Script, 'hosted'>,
  { model, reply, signs }: Options,
  world: World,
): readonly GeminiPart[] {
  const { tools = [], toolConfig } = request;
  const wordsFor = (tool: ProviderToolName | null, usual: string): string | undefined =>
    hosted === undefined || tool === null ? usual : hosted[tool];
  const isOffered = (field: string): boolean => tools.some((tool) => tool[field] !== undefined);
  const isShown = toolConfig?.includeServerSideToolInvocations === true;
  const shown = KINDS.filter(({ field }) => isShown && isOffered(field)).flatMap(({ toolType, tool }) => {
    const query = wordsFor(tool, 'trees');
    return query === undefined ? [] : callAndResponse(toolType, query, world);
  });
  const code = isOffered('codeExecution') ? wordsFor('code_execution', 'print(6 * 7)') : undefined;
  const parts: readonly GeminiPart[] = [...shown, ...(code === undefined ? [] : codeParts(code))];
  return parts.map((part) =>
    signs || isToolPart(part) ? { ...part, thoughtSignature: sign(world, model, part, reply) } : part,
  );
}

const isToolPart = (part: GeminiPart): boolean => part['toolCall'] !== undefined || part['toolResponse'] !== undefined;

function callAndResponse(toolType: string, query: string, world: World): readonly GeminiPart[] {
  const id = world.newId('', 8).toLowerCase();
  return [
    { toolCall: { id, toolType, args: { query } } },
    { toolResponse: { id, toolType, response: { result: [`About ${query}: a tree is a plant.`] } } },
  ];
}

function codeParts(code: string): readonly GeminiPart[] {
  return [
    { executableCode: { language: 'PYTHON', code } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } },
    // Code that plots brings its picture along.
    ...(code.includes('plot') ? [{ inlineData: { mimeType: 'image/png', data: drawnPicture(code) } }] : []),
  ];
}

/** What a candidate says about its search, and which of its words are from there; it is never sent back. */
export function groundingOf(
  { tools = [] }: GeminiRequest,
  { hosted }: Pick<Script, 'hosted'>,
  parts: readonly ReplyPart[],
): object {
  const query = hosted === undefined ? 'trees' : hosted.web_search;
  if (query === undefined || !tools.some((tool) => tool['googleSearch'] !== undefined)) return {};
  const chunk = { web: { uri: 'https://example.com/trees', title: 'example.com' } };
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const segment = { startIndex: 0, endIndex: Buffer.byteLength(text), text };
  const groundingSupports = text === '' ? [] : [{ segment, groundingChunkIndices: [0] }];
  return { groundingMetadata: { webSearchQueries: [query], groundingChunks: [chunk], groundingSupports } };
}
