import { randomUUID } from 'node:crypto';
import type { ContentBlock, NodeId, RawResponse, ToolDefinition, TreeNode } from '@bough/core';
import { createNode, isToolUseBlock, nodeId, projectId, ReplyFold } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { Reply } from '@bough/simulator';
import { answering } from '../fold/outcome.ts';
import { streamOf } from '../fold/payload.ts';
import { prose } from '../prose.ts';

/** A conversation as a store holds it: the path to its newest message, and the raw replies. */
export interface Conversation {
  readonly path: readonly TreeNode[];
  readonly raws: ReadonlyMap<NodeId, RawResponse>;
}

/** Who answers in a conversation. */
export interface Answerer {
  readonly provider: (fetch: typeof globalThis.fetch) => Provider;
  readonly model: string;
}

export const TOOL: ToolDefinition = {
  name: 'search_library',
  description: 'Searches the library and tells which books say something about the question.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};

export const SYSTEM_PROMPT = 'You are the librarian. Look before you answer.';

const PROJECT = projectId('bench');
const EXAMPLES = 8;

/** One turn: a question, a thought and a call, its result, a thought and an answer. */
interface Example {
  readonly question: string;
  readonly call: RecordedReply;
  readonly result: string;
  readonly answer: RecordedReply;
}

interface RecordedReply {
  readonly raw: RawResponse;
  readonly blocks: readonly ContentBlock[];
}

/** Makes paths of this many turns: replies that the simulator streamed, repeated under ids of their own. */
export async function conversationalist(answerer: Answerer): Promise<(turns: number) => Conversation> {
  const examples = await Promise.all(Array.from({ length: EXAMPLES }, (_, at) => record(at, answerer)));
  let turn = 0;
  return (turns) => {
    const path: TreeNode[] = [];
    const raws = new Map<NodeId, RawResponse>();
    for (const end = turn + turns; turn < end; turn += 1) {
      const example = examples[turn % EXAMPLES];
      if (example !== undefined) addTurn(path, raws, example, turn, answerer);
    }
    return { path, raws };
  };
}

/** One conversation after the other. */
export function joined(before: Conversation, behind: Conversation): Conversation {
  const [first, ...rest] = behind.path;
  const moved = first === undefined ? [] : [{ ...first, parentId: before.path.at(-1)?.id ?? null }, ...rest];
  return { path: [...before.path, ...moved], raws: new Map([...before.raws, ...behind.raws]) };
}

/** A conversation with one more message, for which a request is built. */
export function asked(conversation: Conversation, text: string): Conversation {
  return { ...conversation, path: [...conversation.path, ask(conversation.path, text)] };
}

/** The message that the next request answers. */
export function ask(path: readonly TreeNode[], text: string): TreeNode {
  return node(path, { role: 'user', contentBlocks: [{ type: 'text', text }] });
}

function addTurn(
  path: TreeNode[],
  raws: Map<NodeId, RawResponse>,
  example: Example,
  turn: number,
  { model }: Answerer,
): void {
  const { provider } = example.call.raw;
  const add = (parts: Parameters<typeof node>[1]): TreeNode => {
    const added = node(path, parts);
    path.push(added);
    return added;
  };
  const made = { role: 'assistant' as const, provider, modelUsed: model };
  const callId = example.call.blocks.find(isToolUseBlock)?.id ?? '';
  const ownId = callId.slice(0, -8) + String(turn).padStart(8, '0');
  const own = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(callId, ownId)) as T;
  add({ role: 'user', contentBlocks: [{ type: 'text', text: `${example.question} (${turn})` }] });
  raws.set(add({ ...made, contentBlocks: own(example.call.blocks) }).id, unique(own(example.call.raw), turn, 'a'));
  add({ role: 'tool', contentBlocks: [{ type: 'text', text: example.result }], toolCallId: ownId });
  raws.set(add({ ...made, contentBlocks: example.answer.blocks }).id, unique(own(example.answer.raw), turn, 'b'));
}

/** Ids of items and signatures of parts may occur only once in a conversation, or their APIs refuse it. */
const OPAQUE = /(\b(?:rs|msg|fc)_|thoughtSignature\\*": ?\\*")(?=[\w+/=])/g;

function unique(raw: RawResponse, turn: number, reply: 'a' | 'b'): RawResponse {
  if (raw.api === 'anthropic-messages') return raw;
  // Eight letters, so that a signature stays base64.
  const name = `${String(turn).padStart(7, '0')}${reply}`;
  return JSON.parse(JSON.stringify(raw).replaceAll(OPAQUE, `$1${name}`)) as RawResponse;
}

function node(
  path: readonly TreeNode[],
  parts: Omit<Parameters<typeof createNode>[0], 'id' | 'projectId' | 'parentId' | 'createdAt'>,
): TreeNode {
  return createNode({
    ...parts,
    id: nodeId(randomUUID()),
    projectId: PROJECT,
    parentId: path.at(-1)?.id ?? null,
    createdAt: new Date(path.length * 1_000).toISOString(),
  });
}

async function record(at: number, answerer: Answerer): Promise<Example> {
  const say = (characters: number, from: number) => prose(characters + from).slice(from);
  const query = `bread, volume ${at}`;
  return {
    question: say(120 + 10 * at, at * 50),
    call: await reply(answerer, {
      parts: [
        { type: 'thinking', text: say(500, at * 70) },
        { type: 'text', text: say(80, at * 20) },
        { type: 'tool_call', name: TOOL.name, parameters: { query } },
      ],
      stop: 'tool_use',
    }),
    result: say(400, at * 90),
    answer: await reply(answerer, {
      parts: [
        { type: 'thinking', text: say(250, at * 110) },
        { type: 'text', text: say(700, at * 130) },
      ],
      stop: 'end_turn',
    }),
  };
}

async function reply({ provider, model }: Answerer, planned: Reply): Promise<RecordedReply> {
  const { request, bytes } = streamOf(provider(globalThis.fetch), model, TOOL, planned);
  const sent = provider(answering([bytes])).send(request, { signal: new AbortController().signal });
  const fold = new ReplyFold();
  for await (const { events } of sent.batches) for (const event of events) fold.push(event);
  return { raw: sent.raw(), blocks: fold.blocks() };
}
