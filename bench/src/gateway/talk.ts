import { prose } from '../prose.ts';
import { replyBlocks, type Wish, wishText } from './reply.ts';

const WORDS = prose(40_000);
const TOOL = {
  name: 'read',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
const HEAD = JSON.stringify({
  model: 'claude-opus-4-5',
  max_tokens: 32_000,
  stream: true,
  thinking: { type: 'enabled', budget_tokens: 4_096 },
  system: [{ type: 'text', text: `You are an agent. ${WORDS.slice(0, 800)}`, cache_control: { type: 'ephemeral' } }],
  tools: [TOOL],
}).slice(0, -1);
const LONGEST_RESULT = 2_600;
const SHORTEST_RESULT = 200;

/** An agent's conversation as its client holds it: every request brings the whole history. */
export interface Talk {
  /** The next request. */
  readonly body: (wish: Wish) => string;
  /** The request was answered: it and its reply are history. */
  readonly answered: (wish: Wish) => void;
  readonly bytes: () => number;
}

/** `bytes`: what its first request has, about; messages of the usual lengths, as many as that takes. */
export function createTalk(bytes: number): Talk {
  let history = '';
  let requests = 0;
  const length = (): number => HEAD.length + history.length + 100;
  for (let turn = 0; bytes - length() > SHORTEST_RESULT + TURN_BYTES; turn += 1) {
    const room = Math.min(LONGEST_RESULT, bytes - length() - TURN_BYTES);
    history += turnText(turn, room);
  }
  const asking = (wish: Wish): string =>
    JSON.stringify({ role: 'user', content: `Go on with step ${requests}. ${wishText(wish)}` });
  return {
    bytes: length,
    body: (wish) => `${HEAD},"messages":[${history}${asking(wish)}]}`,
    answered: (wish) => {
      history += `${asking(wish)},${JSON.stringify({ role: 'assistant', content: replyBlocks(wish.deltas) })},`;
      requests += 1;
    },
  };
}

/** A question, a call, its result and an answer. */
function turnText(turn: number, resultLength: number): string {
  const words = (from: number, count: number): string => {
    const start = (turn * 997 + from) % (WORDS.length - count);
    return WORDS.slice(start, start + count);
  };
  const id = `toolu_${turn}`;
  return [
    { role: 'user', content: `${turn}: ${words(0, 300)}` },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: words(300, 200) },
        { type: 'tool_use', id, name: TOOL.name, input: { path: `src/${turn}.ts` } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: words(500, resultLength) }],
    },
    { role: 'assistant', content: words(900, 500) },
  ]
    .map((message) => `${JSON.stringify(message)},`)
    .join('');
}

/** What a turn has besides its result. */
const TURN_BYTES = turnText(1_000, 0).length;
