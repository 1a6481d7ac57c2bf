import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

// What the official clients make of a reply: the blocks that our own fold must give as well.

const KEY = { apiKey: 'none', maxRetries: 0 };
const MODEL = 'recorded';

export const ORACLES = {
  'anthropic-messages': async ({ isStream }, url) => {
    const client = new Anthropic({ ...KEY, baseURL: url });
    const params = { model: MODEL, max_tokens: 64_000, messages: [{ role: 'user', content: 'x' }] };
    const message = isStream
      ? await client.beta.messages.stream(params).finalMessage()
      : await client.beta.messages.create(params, { timeout: 10_000 });
    return message.content.map(anthropicBlock);
  },

  'openai-responses': async ({ isStream }, url) => {
    const client = new OpenAI({ ...KEY, baseURL: url });
    const params = { model: MODEL, input: 'x' };
    if (!isStream) return (await client.responses.create(params)).output.flatMap(responsesBlocks);
    const stream = client.responses.stream(params);
    const done = [];
    // The final response repeats each item with different encrypted bytes, or (some servers) contains no items. What an
    // item's own last event says is what may be sent back.
    stream.on('response.output_item.done', (event) => done.push(event));
    const { output } = await stream.finalResponse();
    const items = done.toSorted((a, b) => a.output_index - b.output_index).map((event) => event.item);
    return (items.length >= output.length ? items : output).flatMap(responsesBlocks);
  },

  'openai-chat': async ({ isStream }, url) => {
    const client = new OpenAI({ ...KEY, baseURL: url });
    const params = { model: MODEL, messages: [{ role: 'user', content: 'x' }] };
    const completion = isStream
      ? await client.chat.completions.stream(params).finalChatCompletion()
      : await client.chat.completions.create(params);
    return chatBlocks(completion.choices[0].message);
  },

  gemini: async ({ isStream }, url) => {
    const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
    const params = { model: MODEL, contents: 'x' };
    const chunks = [];
    if (isStream) for await (const chunk of await client.models.generateContentStream(params)) chunks.push(chunk);
    else chunks.push(await client.models.generateContent(params));
    return chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []).flatMap(geminiBlocks);
  },
};

function anthropicBlock(block) {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, signature: block.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
      return { type: 'tool-use', id: block.id, name: block.name, parameters: block.input };
    default:
      return { type: 'custom', of: block.type };
  }
}

function responsesBlocks(item) {
  switch (item.type) {
    case 'message':
      return item.content.map((part) =>
        part.type === 'output_text' ? { type: 'text', text: part.text } : { type: 'custom', of: part.type },
      );
    case 'reasoning':
      return [
        ...[item.summary, item.content ?? []]
          .filter((parts) => parts.length > 0)
          .map((parts) => ({ type: 'thinking', thinking: parts.map((part) => part.text).join('\n\n') })),
        ...(item.encrypted_content ? [{ type: 'thinking_signature', signature: item.encrypted_content }] : []),
      ];
    case 'function_call':
      return [{ type: 'tool-use', id: item.call_id, name: item.name, parameters: JSON.parse(item.arguments || '{}') }];
    default:
      return [{ type: 'custom', of: item.type }];
  }
}

function chatBlocks(message) {
  return [
    ...(typeof message.content === 'string' && message.content !== '' ? [{ type: 'text', text: message.content }] : []),
    ...(message.tool_calls ?? []).map((call) => ({
      type: 'tool-use',
      id: call.id,
      name: call.function.name,
      parameters: JSON.parse(call.function.arguments || '{}'),
    })),
  ];
}

function geminiBlocks(part) {
  const signature = part.thoughtSignature ? [{ type: 'thinking_signature', signature: part.thoughtSignature }] : [];
  if (part.functionCall) {
    const { id, name, args } = part.functionCall;
    return [{ type: 'tool-use', id, name, parameters: args ?? {} }, ...signature];
  }
  if (typeof part.text !== 'string') return [{ type: 'custom', of: Object.keys(part)[0] }, ...signature];
  return [part.thought ? { type: 'thinking', thinking: part.text } : { type: 'text', text: part.text }, ...signature];
}
