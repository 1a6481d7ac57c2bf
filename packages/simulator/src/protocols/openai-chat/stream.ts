import type { CacheCount } from '../../prompt-cache/index.ts';
import type { World } from '../../world.ts';
import type { Json } from './request.ts';
import type { Spoken } from './speech.ts';
import type { Vendor } from './vendors.ts';

const frame = (data: string): string => `data: ${data}\n\n`;

/**
 * Token counts, four characters to a token. xAI counts hidden reasoning in addition to the answer, the others as part
 * of it.
 */
export function usageOf(vendor: Vendor, choices: readonly Spoken[], cached: CacheCount): Json {
  const tokens = (characters: number): number => Math.ceil(characters / 4);
  const all = (count: (spoken: Spoken) => number): number => choices.reduce((sum, spoken) => sum + count(spoken), 0);
  const { input: prompt, read, written } = cached;
  const reasoning = tokens(all((spoken) => spoken.reasoning.length + spoken.hiddenCharacters));
  const answer = tokens(
    all(({ content, calls }) => content.length + calls.reduce((sum, call) => sum + call.arguments.length, 0)),
  );
  return {
    prompt_tokens: prompt,
    completion_tokens: vendor.id === 'xai' ? answer : answer + reasoning,
    total_tokens: prompt + answer + reasoning,
    prompt_tokens_details: { cached_tokens: read, ...(countsWritten(vendor) && { cache_write_tokens: written }) },
    ...(vendor.id === 'deepseek' && { prompt_cache_hit_tokens: read, prompt_cache_miss_tokens: prompt - read }),
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** Whoever charges for writing counts it. */
const countsWritten = ({ id }: Vendor): boolean => id === 'openai' || id === 'openrouter';

/** The frames of a streamed reply, with the vendor's habits at its end. */
export function framesOf(
  vendor: Vendor,
  model: string,
  choices: readonly Spoken[],
  usage: Json,
  wantsUsage: boolean,
  world: World,
): readonly string[] {
  const head = {
    id: world.newId('chatcmpl-', 24),
    object: 'chat.completion.chunk',
    created: Math.floor(world.now() / 1000),
    model,
  };
  const chunkOf =
    (index: number): Chunk =>
    (delta, finish, more = {}, inChoice = {}) =>
      frame(
        JSON.stringify({
          ...head,
          choices: [{ index, delta, logprobs: null, finish_reason: finish, ...inChoice }],
          ...more,
        }),
      );
  return [
    ...(vendor.id === 'openrouter' ? [': OPENROUTER PROCESSING\n\n'] : []),
    ...choices.flatMap((spoken, index) => [
      chunkOf(index)({ role: 'assistant', content: '' }, null),
      ...deltaChunks(vendor, spoken, chunkOf(index)),
      ...lastChunks(vendor, spoken.finish, usage, chunkOf(index)),
    ]),
    ...(vendor.usage === 'own_chunk' && wantsUsage ? [frame(JSON.stringify({ ...head, choices: [], usage }))] : []),
    frame('[DONE]'),
  ];
}

function deltaChunks(vendor: Vendor, { deltas, finish }: Spoken, chunk: Chunk): readonly string[] {
  let content = '';
  let calls = 0;
  return deltas.flatMap((delta) => {
    const text = delta['content'];
    content += typeof text === 'string' ? text : '';
    const beside = vendor.messageBesideDelta ? { message: { role: 'assistant', content } } : {};
    const written = chunk(delta, null, {}, beside);
    const [call] = Array.isArray(delta['tool_calls']) ? (delta['tool_calls'] as readonly Json[]) : [];
    const opensCall = call !== undefined && 'id' in call;
    calls += opensCall ? 1 : 0;
    return vendor.finishesEachCall && opensCall && calls > 1 ? [chunk({}, finish), written] : [written];
  });
}

type Chunk = (delta: Json, finish: string | null, more?: Json, inChoice?: Json) => string;

function lastChunks(vendor: Vendor, finish: string, usage: Json, chunk: Chunk): readonly string[] {
  switch (vendor.usage) {
    case 'own_chunk':
      return [chunk({}, finish)];
    case 'choice':
      return [chunk({}, finish, {}, { usage })];
    case 'x_groq':
      return [chunk({}, finish, { x_groq: { id: 'req_simulated', usage } })];
    case 'last_chunk':
      // OpenRouter says twice that it is done.
      return vendor.id === 'openrouter'
        ? [
            chunk({ role: 'assistant', content: '' }, finish),
            chunk({ role: 'assistant', content: '' }, finish, { usage }),
          ]
        : [chunk({ content: '' }, finish, { usage })];
  }
}

/** The whole reply as one body. */
export function bodyOf(vendor: Vendor, model: string, choices: readonly Spoken[], usage: Json, world: World): string {
  const beside = vendor.messageBesideDelta ? { delta: { role: 'assistant', content: '' } } : {};
  return JSON.stringify({
    id: world.newId('chatcmpl-', 24),
    object: 'chat.completion',
    created: Math.floor(world.now() / 1000),
    model,
    choices: choices.map(({ message, finish }, index) => ({
      index,
      ...beside,
      message,
      logprobs: null,
      finish_reason: finish,
    })),
    usage,
  });
}
