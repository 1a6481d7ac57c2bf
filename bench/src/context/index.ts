import { isDeepStrictEqual } from 'node:util';
import type { TreeNode } from '@bough/core';
import { isTextBlock, isThinkingBlock, isToolUseBlock } from '@bough/core';
import { simulatedDeployments, createProvider } from '@bough/providers';
import type { Contestant, Result } from '../frame/contest.ts';
import { hold } from '../frame/contest.ts';
import { cpuMs } from '../frame/cpu.ts';
import type { Suite } from '../frame/suite.ts';
import { bodyByAiSdk, uiMessages } from './ai-sdk.ts';
import type { Loaded } from './bough.ts';
import { StoredConversation } from './bough.ts';
import type { Answerer, Conversation } from './conversation.ts';
import { ask, conversationalist } from './conversation.ts';
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
  /** Small requests are built several times, because one is too short to be measured. */
  readonly times: number;
}

const SIZES: readonly Size[] = [
  { turns: 10, rounds: 15, times: 20 },
  { turns: 100, rounds: 15, times: 4 },
  { turns: 1_000, rounds: 11, times: 1 },
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
  const history = isOwn ? converse(turns - 1) : (await conversationalist(ELSEWHERE))(turns - 1);
  const next = () => newest(history, converse(1));
  const last = next();
  const asked = [...history.path, ...last.path];
  const body: unknown = JSON.parse(boughBody(history, last));
  return hold({
    work: 'context',
    size: `${turns.toLocaleString('en')} turns${form === 'running' ? '' : `, ${form}`}`,
    unit: 'ms',
    rounds,
    contestants: [
      bough(history, next, form, times, rounds),
      repeated(FLOOR, 'floor', times, () => {
        if (JSON.stringify(body).length === 0) throw new Error('Nothing was written.');
      }),
      await peer(AI_SDK, times, isOwn, asked, uiMessages, bodyByAiSdk),
      await peer(LANGCHAIN, times, isOwn, asked, langchainMessages, bodyByLangchain),
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

/** The turn that the running process has not seen yet, and the message behind it. */
function newest(history: Conversation, turn: Conversation): Conversation {
  const [first, ...rest] = turn.path;
  const joined = first === undefined ? [] : [{ ...first, parentId: history.path.at(-1)?.id ?? null }, ...rest];
  return { path: [...joined, ask(joined, 'And what about rye?')], raws: turn.raws };
}

function boughBody(history: Conversation, next: Conversation): string {
  const conversation = new StoredConversation(history, HERE.provider(globalThis.fetch), HERE.model);
  return conversation.prepare(conversation.load(next), 'new').request.body;
}

function bough(history: Conversation, next: () => Conversation, form: Form, times: number, rounds: number): Contestant {
  const provider = HERE.provider(globalThis.fetch);
  const conversation = new StoredConversation(history, provider, HERE.model);
  const question = [ask(history.path, 'Is there more?')];
  conversation.keep(conversation.prepare(conversation.load({ path: question, raws: new Map() }), 'running'));
  // Read before the contest begins: what reading leaves to the garbage collector is the store's, and must not be collected inside a measurement.
  const stored: Loaded[] = Array.from({ length: times * (rounds + 1) }, () => conversation.load(next()));
  return {
    name: 'Bough',
    role: 'bough',
    run: async () => {
      const loads = stored.splice(0, times);
      const bodies: Uint8Array[] = [];
      const ms = await cpuMs(() => {
        for (const loaded of loads) {
          const { request } = conversation.prepare(loaded, form === 'first request' ? 'new' : 'running');
          bodies.push(request.bytes ?? ENCODER.encode(request.body));
        }
      });
      bodies.forEach((body, at) =>
        check('Bough', DECODER.decode(body), loads[at]?.path ?? [], form !== 'after a break'),
      );
      return ms / times;
    },
  };
}

async function peer<Messages>(
  name: string,
  times: number,
  isOwn: boolean,
  asked: readonly TreeNode[],
  messagesOf: (path: readonly TreeNode[], isOwn: boolean) => Messages,
  bodyOf: (messages: Messages, model: string) => Promise<string>,
): Promise<Contestant> {
  check(name, await bodyOf(messagesOf(asked, isOwn), HERE.model), asked, isOwn);
  return {
    name,
    role: 'peer',
    run: async () => {
      const loads = Array.from({ length: times }, () => messagesOf(asked, isOwn));
      const bodies: Uint8Array[] = [];
      const ms = await cpuMs(async () => {
        for (const messages of loads) bodies.push(ENCODER.encode(await bodyOf(messages, HERE.model)));
      });
      for (const body of bodies) check(name, DECODER.decode(body), asked, isOwn);
      return ms / times;
    },
  };
}

function repeated(name: string, role: Contestant['role'], times: number, work: () => void): Contestant {
  return {
    name,
    role,
    run: async () =>
      (await cpuMs(() => {
        for (let time = 0; time < times; time += 1) work();
      })) / times,
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
