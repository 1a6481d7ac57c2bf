import { isDeepStrictEqual } from 'node:util';
import type { TreeNode } from '@bough/core';
import { isTextBlock, isThinkingBlock, isToolUseBlock } from '@bough/core';
import type { PreparedCall } from '@bough/providers';
import { createProvider, createRecall, simulatedDeployments } from '@bough/providers';
import type { Contestant, Result } from '../frame/contest.ts';
import { hold } from '../frame/contest.ts';
import { cpuMs } from '../frame/cpu.ts';
import type { Suite } from '../frame/suite.ts';
import { bodyByAiSdk, uiMessages } from './ai-sdk.ts';
import { StoredConversation } from './bough.ts';
import type { Answerer, Conversation } from './conversation.ts';
import { asked, conversationalist, joined } from './conversation.ts';
import { bodyByLangchain, langchainMessages } from './langchain.ts';
import { saidIn, tells } from './wire.ts';

/** Makes a text of an object that is at hand, and does not encode it, which all the others do: what leaves is bytes, and `fetch` would do it for them. */
const FLOOR = 'JSON.stringify';
const AI_SDK = 'AI SDK';
const LANGCHAIN = 'LangChain';

/** The protocol that everybody here speaks, and a window that holds the longest path: nothing is trimmed. */
export const HERE = answerer('anthropic-messages', 'sim-thinker');
/** Who answered before the model break. */
const ELSEWHERE = answerer('openai-responses', 'sim-summary');

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

interface Size {
  readonly turns: number;
  readonly rounds: number;
  /** Requests are built several times in a row, because one is too short to be measured, and because a process that runs has built more than a few. */
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
  about: 'CPU of building the request for the next message, from the messages in memory to the bytes that leave.',
  run: async (settings) => {
    const results: Result[] = [];
    for (const size of settings.quick ? QUICK : SIZES) {
      for (const form of FORMS) {
        settings.progress(`${size.turns} turns, ${form}`);
        results.push(await contest(size, form));
      }
    }
    return results;
  },
};

/** In a process that runs, in one that has just begun, and in one that runs where another model answered before. */
const FORMS = ['running', 'first request', 'after a break'] as const;
type Form = (typeof FORMS)[number];

async function contest({ turns, rounds, times }: Size, form: Form): Promise<Result> {
  const isOwn = form !== 'after a break';
  const converse = await conversationalist(HERE);
  const history = isOwn ? converse(turns - 2) : (await conversationalist(ELSEWHERE))(turns - 2);
  const provider = HERE.provider(globalThis.fetch);
  const conversation = new StoredConversation(history, provider, HERE.model);
  const next = () => nextRequests(converse(1), converse(1));
  const { before, now } = next();
  const pathOf = (behind: Conversation) => joined(history, behind).path;
  const { body } = conversation.prepare(conversation.readAll(now), createRecall()).request;
  const parsed: unknown = JSON.parse(body);
  const rival = <Messages>(
    name: string,
    messagesOf: (path: readonly TreeNode[], isOwn: boolean) => Messages,
    bodyOf: (messages: Messages, model: string) => Promise<string>,
  ) => peer({ name, times, isOwn, before: pathOf(before), now: pathOf(now), messagesOf, bodyOf });
  return hold({
    work: 'context',
    size: `${turns.toLocaleString('en')} turns${form === 'running' ? '' : `, ${form}`}`,
    unit: 'ms',
    rounds,
    contestants: [
      form === 'first request'
        ? firstRequests(conversation, next, pathOf, times * (rounds + 1), times)
        : nextRequest(conversation, next, pathOf, times * (rounds + 1), times, isOwn),
      repeated(FLOOR, 'floor', times, () => {
        if (JSON.stringify(parsed).length === 0) throw new Error('Nothing was written.');
      }),
      await rival(AI_SDK, uiMessages, bodyByAiSdk),
      await rival(LANGCHAIN, langchainMessages, bodyByLangchain),
    ],
    goals:
      turns === 1_000 && form === 'running'
        ? [
            { atMost: 0.1, times: AI_SDK },
            { atMost: 1, times: FLOOR },
          ]
        : [],
  });
}

/** Two messages in a row: the request of the first is not measured. In the second, its turn is settled and the turn behind it is new. */
interface NextRequests {
  readonly before: Conversation;
  readonly now: Conversation;
}

function nextRequests(turn: Conversation, newest: Conversation): NextRequests {
  const both = joined(turn, newest);
  const question = both.path.slice(0, turn.path.length + 1);
  return { before: { path: question, raws: turn.raws }, now: asked(both, 'And what about rye?') };
}

type PathOf = (behind: Conversation) => readonly TreeNode[];

function firstRequests(
  conversation: StoredConversation,
  next: () => NextRequests,
  pathOf: PathOf,
  count: number,
  times: number,
): Contestant {
  conversation.keep(conversation.prepare(conversation.readAll(next().before), createRecall()));
  // Read before the contest begins: what reading leaves to the garbage collector is the store's, and must not be collected inside a measurement.
  const stored = Array.from({ length: count }, () => {
    const { now } = next();
    return { context: conversation.readAll(now), path: pathOf(now) };
  });
  return {
    name: 'Bough',
    role: 'bough',
    run: () => measured(times, stored, true, ({ context }) => conversation.prepare(context, createRecall())),
  };
}

function nextRequest(
  conversation: StoredConversation,
  next: () => NextRequests,
  pathOf: PathOf,
  count: number,
  times: number,
  isOwn: boolean,
): Contestant {
  const recall = conversation.talkedTo(asked({ path: [], raws: new Map() }, 'Is there more?'));
  const stored = Array.from({ length: count }, next);
  return {
    name: 'Bough',
    role: 'bough',
    run: () => {
      const loads = stored.splice(0, times).map(({ before, now }) => {
        conversation.keep(conversation.prepare(conversation.readBehind(before), recall));
        return { context: conversation.readBehind(now), path: pathOf(now) };
      });
      return measured(times, loads, isOwn, ({ context }) => conversation.prepare(context, recall));
    },
  };
}

async function measured<Load extends { readonly path: readonly TreeNode[] }>(
  times: number,
  loads: Load[],
  isOwn: boolean,
  prepare: (load: Load) => PreparedCall,
): Promise<number> {
  const ours = loads.splice(0, times);
  const bodies: (readonly Uint8Array[])[] = [];
  const ms = await cpuMs(() => {
    for (const load of ours) {
      const { request } = prepare(load);
      // What the transport writes to the socket, piece by piece; it does not join them.
      bodies.push(request.pieces ?? [ENCODER.encode(request.body)]);
    }
  });
  bodies.forEach((body, at) => check('Bough', DECODER.decode(Buffer.concat(body)), ours[at]?.path ?? [], isOwn));
  return ms / times;
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

/** Like Bough, it makes the request before this one first: nobody is measured colder than the others. */
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

/** To its own maker everything goes back as it was; to another model, everything that was said. */
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
