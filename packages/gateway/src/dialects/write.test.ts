import Anthropic from '@anthropic-ai/sdk';
import type { ContentBlock, ProtocolId, StreamError, StreamEvent } from '@bough/core';
import { foldToBlocks, isTextBlock, isThinkingBlock, isToolUseBlock } from '@bough/core';
import { GoogleGenAI } from '@google/genai';
import fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { anyReply } from '../testing/events.ts';
import { readBody } from './index.ts';
import type { WriteOptions } from './write.ts';
import { createWriter } from './write.ts';

const PROTOCOLS: readonly ProtocolId[] = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'];
const TOKEN = 'Ym91Z2gxVE9LRU4=';
const OPTIONS: WriteOptions = {
  id: 'abc',
  model: 'asked-for',
  created: 1_700_000_000,
  inputTokens: 77,
  token: TOKEN,
  toolOf: (name) => ({ name, kind: 'function', namespace: null }),
  includeUsage: true,
};

function streamed(protocol: ProtocolId, events: readonly StreamEvent[], options: WriteOptions = OPTIONS): string {
  const writer = createWriter(protocol, options);
  return events.map((event) => writer.push(event)).join('');
}

function whole(protocol: ProtocolId, events: readonly StreamEvent[]): Record<string, unknown> {
  const writer = createWriter(protocol, OPTIONS);
  for (const event of events) writer.push(event);
  return writer.body() as Record<string, unknown>;
}

/** What a client understands of a reply: its texts in one, its calls with their arguments, and its thoughts in one. */
interface Understood {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly unknown[];
  readonly isSigned: boolean;
}

function expected(blocks: readonly ContentBlock[], isSigned = false): Understood {
  return {
    text: blocks
      .filter(isTextBlock)
      .map(({ text }) => text)
      .join(''),
    thinking: blocks
      .filter(isThinkingBlock)
      .map(({ thinking }) => thinking)
      .join(''),
    calls: blocks.filter(isToolUseBlock).map(({ id, name, parameters }) => ({ id, name, parameters })),
    isSigned,
  };
}

/** Thoughts that can be read, or signatures of nothing else. */
const hasThoughts = (events: readonly StreamEvent[]): boolean =>
  events.some(
    (event, at) =>
      event.type === 'thinking' ||
      (event.type === 'signature' &&
        !events.slice(0, at).some((before) => 'index' in before && before.index === event.index)),
  );

/** A server that sends one stream in pieces that end anywhere. */
const serving =
  (text: string, type = 'text/event-stream'): typeof fetch =>
  () => {
    const bytes = Buffer.from(text);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 37) controller.enqueue(bytes.subarray(at, at + 37));
        controller.close();
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
  };

const KEY = { apiKey: 'none', maxRetries: 0 };
type Reading = (text: string) => Promise<Understood & { readonly usage: unknown; readonly end: unknown }>;

const SDKS: Readonly<Record<ProtocolId, Reading>> = {
  'anthropic-messages': async (text) => {
    const client = new Anthropic({ ...KEY, fetch: serving(text) });
    const message = await client.messages.stream({ model: 'm', max_tokens: 9, messages: [] }).finalMessage();
    const thoughts = message.content.filter((block) => block.type === 'thinking');
    return {
      text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      thinking: thoughts.map(({ thinking }) => thinking).join(''),
      calls: message.content.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: block.id, name: block.name, parameters: block.input }] : [],
      ),
      isSigned: thoughts.some(({ signature }) => signature === TOKEN),
      usage: [message.usage.input_tokens, message.usage.cache_read_input_tokens, message.usage.output_tokens],
      end: message.stop_reason,
    };
  },
  'openai-responses': async (text) => {
    const client = new OpenAI({ ...KEY, fetch: serving(text) });
    const response = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse();
    const thoughts = response.output.filter((item) => item.type === 'reasoning');
    return {
      text: response.output_text,
      thinking: thoughts.flatMap(({ summary }) => summary.map((part) => part.text)).join(''),
      calls: response.output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ id: item.call_id, name: item.name, parameters: JSON.parse(item.arguments) as unknown }]
          : [],
      ),
      isSigned: thoughts.some(({ encrypted_content: sealed }) => sealed === TOKEN),
      usage: [
        response.usage?.input_tokens,
        response.usage?.input_tokens_details.cached_tokens,
        response.usage?.output_tokens,
      ],
      end: response.status,
    };
  },
  'openai-chat': async (text) => {
    const client = new OpenAI({ ...KEY, fetch: serving(text) });
    const stream = client.chat.completions.stream({ model: 'm', messages: [] });
    let thinking = '';
    stream.on('chunk', ({ choices }) => {
      thinking += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
    });
    const completion = await stream.finalChatCompletion();
    const [choice] = completion.choices;
    const message = choice?.message;
    return {
      text: message?.content ?? '',
      thinking,
      calls: (message?.tool_calls ?? []).map((call) =>
        call.type === 'function'
          ? { id: call.id, name: call.function.name, parameters: JSON.parse(call.function.arguments) as unknown }
          : call,
      ),
      isSigned: false,
      usage: [
        completion.usage?.prompt_tokens,
        completion.usage?.prompt_tokens_details?.cached_tokens,
        completion.usage?.completion_tokens,
      ],
      end: choice?.finish_reason,
    };
  },
  gemini: async (text) => {
    const before = globalThis.fetch;
    globalThis.fetch = serving(text);
    try {
      const client = new GoogleGenAI({ apiKey: 'none' });
      const read = {
        text: '',
        thinking: '',
        calls: [] as unknown[],
        isSigned: false,
        usage: null as unknown,
        end: null as unknown,
      };
      for await (const chunk of await client.models.generateContentStream({ model: 'm', contents: 'x' })) {
        const [candidate] = chunk.candidates ?? [];
        for (const part of candidate?.content?.parts ?? []) {
          if (part.thought === true) read.thinking += part.text ?? '';
          else read.text += part.text ?? '';
          const { functionCall } = part;
          if (functionCall)
            read.calls.push({ id: functionCall.id, name: functionCall.name, parameters: functionCall.args });
          if (part.thoughtSignature === TOKEN) read.isSigned = true;
        }
        const { usageMetadata: usage } = chunk;
        if (usage)
          read.usage = [
            usage.promptTokenCount,
            usage.cachedContentTokenCount,
            (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
          ];
        read.end = candidate?.finishReason ?? read.end;
      }
      return read;
    } finally {
      globalThis.fetch = before;
    }
  },
};

const ENDS: Readonly<Record<ProtocolId, readonly [string, string]>> = {
  'anthropic-messages': ['tool_use', 'end_turn'],
  'openai-responses': ['completed', 'completed'],
  'openai-chat': ['tool_calls', 'stop'],
  gemini: ['STOP', 'STOP'],
};

/** A body in which the reply is the history of the next request. */
const asHistory: Readonly<Record<ProtocolId, (body: Record<string, unknown>) => unknown>> = {
  'anthropic-messages': ({ content }) => ({ messages: [{ role: 'assistant', content }] }),
  'openai-responses': ({ output }) => ({ input: output }),
  'openai-chat': ({ choices }) => ({ messages: [(choices as [{ message: object }])[0].message] }),
  gemini: ({ candidates }) => ({ contents: [(candidates as [{ content: object }])[0].content] }),
};

describe.each(PROTOCOLS)('a reply for a client of %s', (protocol) => {
  it('GW-70: the official SDK reads every stream: texts, thoughts, calls in order, usage and end', async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, async (events) => {
        const wanted = expected(foldToBlocks(events), hasThoughts(events));
        const { usage, end, ...read } = await SDKS[protocol](streamed(protocol, events));
        expect(read).toEqual(protocol === 'openai-chat' ? { ...wanted, isSigned: false } : wanted);
        expect(usage).toEqual([protocol === 'anthropic-messages' ? 40 : 100, 60, 20]);
        expect(end).toBe(ENDS[protocol][wanted.calls.length > 0 ? 0 : 1]);
      }),
      { numRuns: 60 },
    );
  });

  it('GW-71: without a stream it says the same, and sent back it is the reply that is stored', () => {
    fc.assert(
      fc.property(anyReply, (events) => {
        const body = whole(protocol, events);
        const stored = foldToBlocks(events);
        const read = readBody(protocol, JSON.stringify({ model: 'm', ...(asHistory[protocol](body) as object) }), 'm');
        const parts = read?.messages.flatMap((message) => message.parts) ?? [];
        expect(parts).toHaveLength(1);
        const { isSigned: _, ...back } = expected(parts[0]?.blocks ?? []);
        const { isSigned: _stored, ...wanted } = expected(stored);
        expect(back).toEqual(wanted);
      }),
    );
  });

  it('GW-72: a failure after the first byte is an event of the protocol, and the client throws', async () => {
    const error: StreamError = { code: 'overloaded', message: 'Too many people.', retryable: true };
    const events: StreamEvent[] = [
      { type: 'text', index: 0, text: 'Half an' },
      { type: 'error', error },
      { type: 'stop', reason: 'error' },
    ];
    const read = async (): Promise<void> => {
      const { end } = await SDKS[protocol](streamed(protocol, events));
      // The SDK of OpenAI Responses returns what failed; what it says about it is for the client.
      if (end === 'failed') throw new Error('Too many people.');
    };
    await expect(read()).rejects.toThrow(protocol === 'openai-responses' ? /people|completed/ : 'Too many people.');
    expect(streamed(protocol, events)).not.toMatch(/message_stop|response\.completed|\[DONE\]|finishReason/);
  });

  it.each<[string, StreamEvent & { type: 'stop' }, Readonly<Record<ProtocolId, string>>]>([
    [
      'too long',
      { type: 'stop', reason: 'max_tokens' },
      {
        'anthropic-messages': '"stop_reason":"max_tokens"',
        'openai-responses': '"reason":"max_output_tokens"',
        'openai-chat': '"finish_reason":"length"',
        gemini: '"finishReason":"MAX_TOKENS"',
      },
    ],
    [
      'refused',
      { type: 'stop', reason: 'refusal' },
      {
        'anthropic-messages': '"stop_reason":"refusal"',
        'openai-responses': '"reason":"content_filter"',
        'openai-chat': '"finish_reason":"content_filter"',
        gemini: '"finishReason":"SAFETY"',
      },
    ],
    [
      'stopped by a person',
      { type: 'stop', reason: 'interrupted' },
      {
        'anthropic-messages': '"stop_reason":"end_turn"',
        'openai-responses': '"status":"completed"',
        'openai-chat': '"finish_reason":"stop"',
        gemini: '"finishReason":"STOP"',
      },
    ],
  ])('GW-73: a reply that is %s ends as the protocol says it', (_, stop, words) => {
    expect(streamed(protocol, [{ type: 'text', index: 0, text: 'x' }, stop])).toContain(words[protocol]);
  });

  it('GW-73: a refusal in words is shown', () => {
    const events: StreamEvent[] = [
      { type: 'block', index: 0, block: { type: 'refusal', refusal: 'I would rather not.' } },
      { type: 'stop', reason: 'refusal' },
    ];
    expect(streamed(protocol, events)).toContain('I would rather not.');
  });

  it('GW-74: a call that broke off never looks whole', () => {
    const events: StreamEvent[] = [
      { type: 'tool_call_start', index: 0, id: 'c', name: 'shell' },
      { type: 'tool_call_delta', index: 0, json: '{"q":"rm -' },
      { type: 'stop', reason: 'max_tokens' },
    ];
    const text = streamed(protocol, events);
    if (protocol === 'gemini') expect(text).not.toContain('functionCall');
    if (protocol === 'openai-responses') expect(text).not.toMatch(/function_call"[^\n]*"status":"completed"/);
    expect(text).not.toMatch(/"(?:stop_reason|finish_reason)":"tool_(?:use|calls)"/);
  });
});

describe('forms', () => {
  const call: StreamEvent[] = [
    { type: 'tool_call', index: 0, id: 'c1', name: 'apply_patch', parameters: { input: '*** Begin' } },
    { type: 'tool_call', index: 1, id: 'c2', name: 'files__find', parameters: { q: 1 } },
    { type: 'stop', reason: 'tool_use' },
  ];
  const toolOf: WriteOptions['toolOf'] = (name) =>
    name === 'apply_patch'
      ? { name, kind: 'custom', namespace: null }
      : { name: 'find', kind: 'function', namespace: 'files' };

  it('GW-75: a call of a tool without a schema, and one of a tool in a namespace, are written as the client offered them', async () => {
    const client = new OpenAI({ ...KEY, fetch: serving(streamed('openai-responses', call, { ...OPTIONS, toolOf })) });
    const { output } = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse();
    expect(output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin' },
      { type: 'function_call', call_id: 'c2', name: 'find', namespace: 'files', arguments: '{"q":1}' },
    ]);
    const chat = streamed('openai-chat', call.slice(0, 1).concat(call.slice(2)), { ...OPTIONS, toolOf });
    expect(chat).toContain('"custom":{"input":"*** Begin"}');
  });

  it('GW-75: chat tells the usage only where it is asked for', () => {
    const events: StreamEvent[] = [
      { type: 'text', index: 0, text: 'x' },
      { type: 'stop', reason: 'end_turn' },
    ];
    expect(streamed('openai-chat', events, { ...OPTIONS, includeUsage: false })).not.toContain('usage');
  });

  it('GW-75: Gemini without alt=sse is one array', () => {
    const chunks = JSON.parse(streamed('gemini', call, { ...OPTIONS, asArray: true })) as {
      candidates: { finishReason?: string }[];
    }[];
    expect(chunks).toHaveLength(3);
    expect(chunks.at(-1)?.candidates[0]?.finishReason).toBe('STOP');
  });
});
