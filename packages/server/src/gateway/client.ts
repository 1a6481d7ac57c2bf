import type { ContentBlock, ProtocolId } from '@bough/core';
import { ReplyFold } from '@bough/core';
import { protocolById, readKept } from '@bough/providers';

/** A small agent, as clients of each protocol are written: it keeps its own history and sends all of it each time. */
export interface MiniClient {
  /** Says something, and reads the reply to its end. */
  readonly say: (text: string) => Promise<Reply>;
  /** Answers the calls of the last reply. */
  readonly answer: (result: string) => Promise<Reply>;
  /** Answers the calls of the last reply, and says something at once. */
  readonly interrupt: (result: string, text: string) => Promise<Reply>;
  /** Sends the same request again. */
  readonly again: () => Promise<Reply>;
  /** Takes back everything after so many messages. */
  readonly rewind: (messages: number) => void;
  /** The bodies that it sent, to the byte. */
  readonly bodies: readonly string[];
  readonly messages: readonly object[];
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly headers: Headers;
}

export interface MiniClientOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly system?: string;
  readonly stream?: boolean;
}

interface Dialect {
  readonly provider: string;
  readonly path: (model: string, stream: boolean) => string;
  readonly body: (messages: readonly object[], options: Required<MiniClientOptions>) => object;
  readonly person: (text: string) => readonly object[];
  /** How the client keeps a reply. */
  readonly reply: (blocks: readonly ContentBlock[], texts: readonly string[]) => readonly object[];
  readonly results: (calls: Reply['calls'], result: string) => readonly object[];
}

const words = (blocks: readonly ContentBlock[]): string =>
  blocks.map((block) => (block.type === 'text' ? String(block['text']) : '')).join('');
const callsIn = (blocks: readonly ContentBlock[]) =>
  blocks.flatMap((block) =>
    block.type === 'tool-use'
      ? [{ id: String(block['id']), name: String(block['name']), parameters: block['parameters'] }]
      : [],
  );
const dataOf = (texts: readonly string[]): readonly Readonly<Record<string, unknown>>[] =>
  readKept(texts).whole.flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data)]));
const schema = { type: 'object', properties: {} };

export const DIALECTS: Readonly<Record<ProtocolId, Dialect>> = {
  'anthropic-messages': {
    provider: 'anthropic',
    path: () => '/v1/messages?beta=true',
    body: (messages, { model, tools, system, stream }) => ({
      model,
      max_tokens: 4_000,
      messages: messages.map((message, at) => (at === messages.length - 1 ? marked(message) : message)),
      ...(system === '' ? {} : { system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] }),
      ...(tools.length === 0 ? {} : { tools: tools.map((name) => ({ name, input_schema: schema })) }),
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      stream,
    }),
    person: (text) => [{ role: 'user', content: [{ type: 'text', text }] }],
    reply: (blocks) => [
      {
        role: 'assistant',
        content: blocks.map((block) =>
          block.type === 'tool-use'
            ? { type: 'tool_use', id: block['id'], name: block['name'], input: block['parameters'] }
            : block,
        ),
      },
    ],
    results: (calls, result) => [
      {
        role: 'user',
        content: calls.map(({ id }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: [{ type: 'text', text: result }],
        })),
      },
    ],
  },
  'openai-responses': {
    provider: 'openai_responses',
    path: () => '/v1/responses',
    body: (input, { model, tools, system, stream }) => ({
      model,
      store: false,
      include: ['reasoning.encrypted_content'],
      ...(system === '' ? {} : { instructions: system }),
      ...(tools.length === 0
        ? {}
        : { tools: tools.map((name) => ({ type: 'function', name, parameters: schema, strict: false })) }),
      input,
      stream,
    }),
    person: (text) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
    reply: (_, texts) => {
      const body = texts[0]?.trimStart().startsWith('{') === true ? JSON.parse(texts.join('')) : undefined;
      const done = body ?? dataOf(texts).find(({ type }) => type === 'response.completed')?.['response'];
      return (done as { output: object[] } | undefined)?.output ?? [];
    },
    results: (calls, output) => calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output })),
  },
  'openai-chat': {
    provider: 'openai',
    path: () => '/v1/chat/completions',
    body: (messages, { model, tools, system, stream }) => ({
      stream,
      model,
      messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
      ...(tools.length === 0
        ? {}
        : { tools: tools.map((name) => ({ type: 'function', function: { name, parameters: schema } })) }),
      ...(stream ? { stream_options: { include_usage: true } } : {}),
    }),
    person: (text) => [{ role: 'user', content: text }],
    reply: (blocks) => {
      const calls = callsIn(blocks).map(({ id, name, parameters }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(parameters) },
      }));
      const content = words(blocks);
      return [
        {
          role: 'assistant',
          content: content === '' ? null : content,
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
      ];
    },
    results: (calls, content) => calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content })),
  },
  gemini: {
    provider: 'gemini',
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (contents, { tools, system }) => ({
      contents,
      ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map((name) => ({ name })) }] }),
    }),
    person: (text) => [{ role: 'user', parts: [{ text }] }],
    reply: (_, texts) => {
      const chunks = texts[0]?.trimStart().startsWith('{') === true ? [JSON.parse(texts.join(''))] : dataOf(texts);
      const parts = chunks.flatMap((chunk) => {
        const [candidate] = (chunk['candidates'] ?? []) as { content?: { parts?: object[] } }[];
        return candidate?.content?.parts ?? [];
      });
      return [{ role: 'model', parts: parts.filter((part) => !('thought' in part)) }];
    },
    results: (calls, result) => [
      {
        role: 'user',
        parts: calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: result } } })),
      },
    ],
  },
};

/** As agents do: the mark is on the last block of the last message, and moves with every request. */
function marked(message: object): object {
  const content = (message as { content?: unknown }).content;
  if (!Array.isArray(content)) return message;
  const blocks = content as object[];
  const last = blocks.at(-1);
  return { ...message, content: [...blocks.slice(0, -1), { ...last, cache_control: { type: 'ephemeral' } }] };
}

export function miniClient(
  protocol: ProtocolId,
  at: (provider: string) => string,
  { headers = {}, model = 'sim-thinker', tools = [], system = '', stream = true }: MiniClientOptions = {},
): MiniClient {
  const dialect = DIALECTS[protocol];
  const options = { headers, model, tools, system, stream };
  let messages: object[] = [];
  let open: Reply['calls'] = [];
  const bodies: string[] = [];
  const send = async (): Promise<Reply> => {
    const body = JSON.stringify(dialect.body(messages, options));
    bodies.push(body);
    const response = await fetch(`${at(dialect.provider)}${dialect.path(model, stream)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
      body,
    });
    const text = await response.text();
    if (!response.ok) return { status: response.status, text, calls: [], headers: response.headers };
    const blocks = blocksOf(protocol, text);
    messages = [...messages, ...dialect.reply(blocks, [text])];
    open = callsIn(blocks);
    return { status: response.status, text: words(blocks), calls: open, headers: response.headers };
  };
  return {
    say: (text) => {
      messages = [...messages, ...dialect.person(text)];
      return send();
    },
    answer: (result) => {
      messages = [...messages, ...dialect.results(open, result)];
      return send();
    },
    interrupt: (result, text) => {
      messages = [...messages, ...dialect.results(open, result), ...dialect.person(text)];
      return send();
    },
    again: send,
    rewind: (count) => {
      messages = messages.slice(0, count);
    },
    bodies,
    get messages() {
      return messages;
    },
  };
}

function blocksOf(protocol: ProtocolId, text: string): readonly ContentBlock[] {
  const issuer = { provider: 'p', deployment: 'd', model: 'm' };
  const { body, whole } = readKept([text]);
  const reply = new ReplyFold();
  if (body !== null) for (const each of protocolById(protocol).foldBody(body, issuer)) reply.push(each);
  else {
    const fold = protocolById(protocol).createFold(issuer);
    for (const each of whole) for (const neutral of fold.push(each)) reply.push(neutral);
    for (const neutral of fold.end({ type: 'closed' })) reply.push(neutral);
  }
  return reply.result().blocks;
}
