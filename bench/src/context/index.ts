import { isDeepStrictEqual } from 'node:util';
import type { TreeNode } from '@bough/core';
import { isTextBlock, isThinkingBlock, isToolUseBlock } from '@bough/core';
import { createProvider, simulatedDeployments } from '@bough/providers';
import type { Contestant, Result } from '../frame/contest.ts';
import { hold } from '../frame/contest.ts';
import { cpuMs } from '../frame/cpu.ts';
import type { Suite } from '../frame/suite.ts';
import { bodyByAiSdk, uiMessages } from './ai-sdk.ts';
import { pathOf, StoredConversation } from './bough.ts';
import type { Answerer, Conversation } from './conversation.ts';
import { asked, conversationalist, joined } from './conversation.ts';
import { bodyByLangchain, langchainMessages } from './langchain.ts';
import { saidIn, tells } from './wire.ts';

/**
 * Serialises an object that is already in memory, but does not encode it, which all the others do: what is sent is
 * bytes, and `fetch` would encode it for them.
 */
const FLOOR = 'JSON.stringify';
const AI_SDK = 'AI SDK';
const LANGCHAIN = 'LangChain';

/** The protocol that every contestant here speaks, and a window that holds the longest path: nothing is trimmed. */
export const HERE = answerer('anthropic-messages', 'sim-thinker');
/** Who answered before the model break. */
const ELSEWHERE = answerer('openai-responses', 'sim-summary');

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

interface Size {
  readonly turns: number;
  readonly rounds: number;
  /**
   * Requests are built several times in a row, because one is too short to measure, and because a running process has
   * built more than a few.
   */
  readonly times: number;
}

const SIZES: readonly Size[] = [
  { turns: 10, rounds: 15, times: 20 },
  { turns: 100, rounds: 15, times: 4 },
  { turns: 1_000, rounds: 11, times: 4 },
  { turns: 5_000, rounds: 4, times: 1 },
];
const QUICK: readonly Size[] = [
  { turns: 3, rounds: 2, times: 1 },
  { turns: 10, rounds: 2, times: 1 },
];

/** The request for the next message of a conversation. */
export const context: Suite = {
  name: 'context',
  works: ['context'],
  about: 'CPU of building the request for the next message, from what is read from the store to the bytes that leave.',
  run: async (settings) => {
    const results: Result[] = [];
    for (const size of settings.quick ? QUICK : SIZES) {
      for (const form of FORMS) {
        settings.progress(`${size.turns} turns, ${form}`);
        results.push(await contest(size, form));
      }
    }
    const size = settings.quick ? QUICK[1] : SIZES[2];
    for (const [protocol, model] of OTHERS) {
      settings.progress(protocol);
      if (size !== undefined) results.push(await alone(size, protocol, model));
    }
    return results;
  },
};

/** An ordinary request, the first one to a model for which nothing is cached, and one after another model answered. */
const FORMS = ['cached', 'nothing cached', 'after a break'] as const;
type Form = (typeof FORMS)[number];

/** The other protocols, which no peer here speaks in the same way: only against the floor. */
const OTHERS = [
  ['openai-responses', 'sim-summary'],
  ['openai-chat', 'sim-thinker'],
  ['gemini', 'sim-summary'],
] as const;

/** A process has no memory of requests: its first one costs the same as any other. */
const AT_MOST = [
  { atMost: 3, times: FLOOR },
  { atMost: 1, times: FLOOR },
];

async function contest({ turns, rounds, times }: Size, form: Form): Promise<Result> {
  const isOwn = form !== 'after a break';
  const converse = await conversationalist(HERE);
  const history = isOwn ? converse(turns - 2) : (await conversationalist(ELSEWHERE))(turns - 2);
  const conversation = new StoredConversation(history, HERE.provider(globalThis.fetch), HERE.model);
  const next = () => nextRequests(converse(1), converse(1));
  const { before, now } = next();
  const rival = <Messages>(
    name: string,
    messagesOf: (path: readonly TreeNode[], isOwn: boolean) => Messages,
    bodyOf: (messages: Messages, model: string) => Promise<string>,
  ) => peer({ name, times, isOwn, before: pathOf(history, before), now: pathOf(history, now), messagesOf, bodyOf });
  return hold({
    work: 'context',
    size: `${turns.toLocaleString('en')} turns${form === 'cached' ? '' : `, ${form}`}`,
    unit: 'ms',
    rounds,
    contestants: [
      nextRequest(conversation, next, times, form === 'nothing cached' ? form : 'cached', (body, last) =>
        check('Bough', body, pathOf(history, last), isOwn),
      ),
      floorOf(conversation, now, times),
      await rival(AI_SDK, uiMessages, bodyByAiSdk),
      await rival(LANGCHAIN, langchainMessages, bodyByLangchain),
    ],
    goals: turns === 1_000 && form === 'cached' ? [{ atMost: 0.1, times: AI_SDK }, ...AT_MOST] : [],
  });
}

/** A protocol alone: what Bough sends with cached turns is compared byte by byte with what it sends without them. */
async function alone({ turns, rounds, times }: Size, protocol: string, model: string): Promise<Result> {
  const there = answerer(protocol, model);
  const converse = await conversationalist(there);
  const conversation = new StoredConversation(converse(turns - 2), there.provider(globalThis.fetch), model);
  const next = () => nextRequests(converse(1), converse(1));
  return hold({
    work: 'context',
    size: `${turns.toLocaleString('en')} turns, ${protocol}`,
    unit: 'ms',
    rounds,
    contestants: [
      nextRequest(conversation, next, times, 'cached', (body, last) => {
        if (body !== conversation.prepare(conversation.read(last, 'nothing cached')).request.body)
          throw new Error('Cached turns change the request.');
      }),
      floorOf(conversation, next().now, times),
    ],
    goals: AT_MOST,
  });
}

function floorOf(conversation: StoredConversation, now: Conversation, times: number): Contestant {
  const parsed: unknown = JSON.parse(conversation.prepare(conversation.read(now, 'nothing cached')).request.body);
  return repeated(FLOOR, 'floor', times, () => {
    if (JSON.stringify(parsed).length === 0) throw new Error('Nothing was written.');
  });
}

/**
 * Two messages in a row: the request for the first is not measured. In the second, its turn is closed and the one after
 * it is new.
 */
interface NextRequests {
  readonly before: Conversation;
  readonly now: Conversation;
}

function nextRequests(turn: Conversation, newest: Conversation): NextRequests {
  const both = joined(turn, newest);
  const question = both.path.slice(0, turn.path.length + 1);
  return { before: { path: question, raws: turn.raws }, now: asked(both, 'And what about rye?') };
}

function nextRequest(
  conversation: StoredConversation,
  next: () => NextRequests,
  times: number,
  cache: 'cached' | 'nothing cached',
  verify: (body: string, now: Conversation) => void,
): Contestant {
  return {
    name: 'Bough',
    role: 'bough',
    run: async () => {
      // Read before the clock starts: garbage left by reading belongs to the store.
      const loads = Array.from({ length: times }, () => {
        const { before, now } = next();
        conversation.keep(conversation.prepare(conversation.read(before)));
        return { now, stored: conversation.read(now, cache) };
      });
      const bodies: (readonly Uint8Array[])[] = [];
      const ms = await cpuMs(() => {
        for (const { stored } of loads) {
          const { request } = conversation.prepare(stored);
          // What the transport writes to the socket, piece by piece; it does not join the pieces.
          bodies.push(request.pieces ?? [ENCODER.encode(request.body)]);
        }
      });
      bodies.forEach((body, at) => {
        const load = loads[at];
        if (load !== undefined) verify(DECODER.decode(Buffer.concat(body)), load.now);
      });
      return ms / times;
    },
  };
}

interface Peer<Messages> {
  readonly name: string;
  readonly times: number;
  readonly isOwn: boolean;
  readonly before: readonly TreeNode[];
  readonly now: readonly TreeNode[];
  readonly messagesOf: (path: readonly TreeNode[], isOwn: boolean) => Messages;
  readonly bodyOf: (messages: Messages, model: string) => Promise<string>;
}

/** Like Bough, it builds the previous request first: no contestant is measured colder than the others. */
async function peer<Messages>(of: Peer<Messages>): Promise<Contestant> {
  const { name, times, isOwn, before, now, messagesOf, bodyOf } = of;
  check(name, await bodyOf(messagesOf(now, isOwn), HERE.model), now, isOwn);
  return {
    name,
    role: 'peer',
    run: async () => {
      const loads = Array.from({ length: times }, () => messagesOf(now, isOwn));
      for (let time = 0; time < times; time += 1) await bodyOf(messagesOf(before, isOwn), HERE.model);
      const bodies: Uint8Array[] = [];
      const ms = await cpuMs(async () => {
        for (const messages of loads) bodies.push(ENCODER.encode(await bodyOf(messages, HERE.model)));
      });
      for (const body of bodies) check(name, DECODER.decode(body), now, isOwn);
      return ms / times;
    },
  };
}

function repeated(name: string, role: Contestant['role'], times: number, work: () => void): Contestant {
  return {
    name,
    role,
    run: async () => {
      const ms = await cpuMs(() => {
        for (let time = 0; time < times; time += 1) work();
      });
      return ms / times;
    },
  };
}

/** To its own maker everything goes back unchanged; to another model, everything that was said. */
export function check(who: string, body: string, path: readonly TreeNode[], isOwn: boolean): void {
  const said = saidIn(body);
  const textsOf = (role: TreeNode['role']) => path.filter((node) => node.role === role).map(({ content }) => content);
  const blocks = path.flatMap(({ role, contentBlocks }) => (role === 'assistant' ? contentBlocks : []));
  const expected = {
    user: textsOf('user'),
    assistant: blocks.filter(isTextBlock).map(({ text }) => text),
    signatures: blocks.filter(isThinkingBlock).map(({ thinking, signature }) => `${thinking} ${signature}`),
    calls: blocks.filter(isToolUseBlock).map(({ id, parameters }) => `${id} ${JSON.stringify(parameters)}`),
    results: textsOf('tool'),
  };
  const right = isOwn
    ? isDeepStrictEqual(said, expected)
    : isDeepStrictEqual(said.user, expected.user) && tells(said.assistant, expected.assistant);
  if (!right) throw new Error(`${who}: the request does not say what the conversation says.`);
}

function answerer(protocol: string, model: string): Answerer {
  const found = simulatedDeployments('http://127.0.0.1:9').find((deployment) => deployment.protocol === protocol);
  if (found === undefined) throw new Error(`Nothing simulates ${protocol}.`);
  const deployment = {
    ...found,
    modelInfo: (id: string) => ({ ...found.modelInfo(id), contextWindow: 100_000_000 }),
  };
  return { model, provider: (fetch) => createProvider(deployment, { key: null, fetch }) };
}
