import Anthropic from '@anthropic-ai/sdk';
import type { AttachedBlock, ContentBlock, Role, TreeNode } from '@bough/core';
import { createNode, nodeId, projectId } from '@bough/core';
import type { CallTarget } from '@bough/providers';
import {
  createProvider,
  filledBody,
  pdfBytes,
  placesOf,
  pngBytes,
  prepareCall,
  simulatedDeployments,
  wavBytes,
} from '@bough/providers';
import type { Content } from '@google/genai';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILES, readBlob } from './replay/files.ts';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'files' });
});
afterAll(() => simulator.close());

const found = (type: AttachedBlock['type'], name: string): ContentBlock => {
  const block = FILES.flat().find((file) => file.type === type && file['name'] === name);
  if (block === undefined) throw new Error(`There is no ${name}.`);
  return block;
};
const picture = found('image', 'small.png');
const paper = found('document', 'paper');
const table = found('file', 'table.csv');
const sound = found('audio', 'song.wav');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const PNG = base64(pngBytes(80, 60));
const PDF = base64(pdfBytes(3));
const WAV = base64(wavBytes(800));
const CSV = 'File "table.csv":\n\ntree,height\n"oak",20\n漢字,3\u2028\n';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const call: ContentBlock = { type: 'tool-use', id: 'call_1', name: 'draw', parameters: {} };

/** Roles and blocks, one node after the other; replies are from elsewhere. */
function path(...steps: readonly (readonly [Role, ...ContentBlock[]])[]): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  for (const [index, [role, ...contentBlocks]] of steps.entries()) {
    nodes.push(
      createNode({
        id: nodeId(`n${index}`),
        projectId: projectId('p'),
        parentId: nodes.at(-1)?.id ?? null,
        role,
        contentBlocks,
        createdAt: '',
        ...(role === 'tool' && { toolCallId: 'call_1' }),
      }),
    );
  }
  return nodes;
}

const LOOP = path(
  ['user', text('Look:'), picture, paper, table, sound],
  ['assistant', call],
  ['tool', text('Drawn.'), picture],
);

function targetOf(protocol: string, model: string): CallTarget {
  const deployment = simulatedDeployments(simulator.url).find((candidate) => candidate.protocol === protocol);
  if (deployment === undefined) throw new Error(`There is no ${protocol}.`);
  const tools = [{ name: 'draw', description: '', inputSchema: { type: 'object', properties: {} } }];
  const provider = createProvider(deployment, { key: 'none', retries: 0 });
  return { provider, model, systemPrompt: null, tools, thinking: 'off', keepToolsAfterBreak: true };
}

/** The body as it arrives, and what the report says of each node. */
async function sent(protocol: string, model: string, nodes = LOOP) {
  const { request, report } = prepareCall(nodes, targetOf(protocol, model), { rawOf: () => undefined });
  expect(request.violations).toEqual([]);
  const filled = await filledBody(placesOf(request.body) ?? [], readBlob);
  const body: unknown = JSON.parse(await new Response(filled.stream()).text());
  return { body: body as Readonly<Record<string, unknown>>, report: report.map(({ reasons }) => reasons.join(' ')) };
}

describe('the forms of files, by the types of the official clients', () => {
  it('SIM-20: Anthropic takes pictures, PDFs and texts, in results too; sound is named', async () => {
    const { body, report } = await sent('anthropic-messages', 'sim-parallel');
    const image: Anthropic.ImageBlockParam = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: PNG },
    };
    const messages: Anthropic.MessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          image,
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: PDF },
            title: 'paper',
          },
          { type: 'text', text: CSV },
          { type: 'text', text: '[audio: song.wav, 1 s]' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'draw', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'Drawn.' }, image] }],
      },
    ];
    expect(body['messages']).toEqual(messages);
    expect(report[0]).toBe('file_as_line');
    expect(report[2]).not.toContain('file');
    const client = new Anthropic({ apiKey: 'none', baseURL: simulator.url, maxRetries: 0 });
    const tools = [{ name: 'draw', input_schema: { type: 'object' as const } }];
    await client.messages.create({ model: 'sim-parallel', max_tokens: 2_000, tools, messages });
  });

  it('SIM-20: so does OpenAI’s Responses API', async () => {
    const { body } = await sent('openai-responses', 'sim-parallel');
    const image: OpenAI.Responses.ResponseInputImage = {
      type: 'input_image',
      image_url: `data:image/png;base64,${PNG}`,
      detail: 'auto',
    };
    const input: OpenAI.Responses.ResponseInput = [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look:' },
          image,
          { type: 'input_file', filename: 'paper.pdf', file_data: `data:application/pdf;base64,${PDF}` },
          { type: 'input_text', text: CSV },
          { type: 'input_text', text: '[audio: song.wav, 1 s]' },
        ],
      },
      { type: 'function_call', call_id: 'call_1', name: 'draw', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [{ type: 'input_text', text: 'Drawn.' }, image],
      },
    ];
    expect(body['input']).toEqual(input);
    const client = new OpenAI({ apiKey: 'none', baseURL: `${simulator.url}/v1`, maxRetries: 0 });
    await client.responses.create({ model: 'sim-parallel', store: false, input });
  });

  it('SIM-20: chat servers get what a tool brought in a message behind the results', async () => {
    const { body, report } = await sent('openai-chat', 'sim-summary');
    const image: OpenAI.Chat.ChatCompletionContentPart = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${PNG}` },
    };
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          image,
          { type: 'file', file: { filename: 'paper.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
          { type: 'text', text: CSV },
          { type: 'text', text: '[audio: song.wav, 1 s]' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'draw', arguments: '{}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 'call_1',
        content: 'Drawn.\n[picture: small.png, 80 × 60, a bough]',
      },
      {
        role: 'user',
        content: [{ type: 'text', text: 'These files came with the tool results above, in their order:' }, image],
      },
    ];
    expect(body['messages']).toEqual(messages);
    expect(report[0]).toBe('file_as_line');
    const client = new OpenAI({ apiKey: 'none', baseURL: `${simulator.url}/v1`, maxRetries: 0 });
    await client.chat.completions.create({ model: 'sim-summary', messages });
  });

  it('SIM-20: Gemini takes sound as well, and has a place for files in its responses', async () => {
    const { body, report } = await sent('gemini', 'sim-summary');
    const image = { inlineData: { mimeType: 'image/png', data: PNG } };
    const contents: Content[] = [
      {
        role: 'user',
        parts: [
          { text: 'Look:' },
          image,
          { inlineData: { mimeType: 'application/pdf', data: PDF } },
          { text: CSV },
          { inlineData: { mimeType: 'audio/wav', data: WAV } },
        ],
      },
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'call_1', name: 'draw', args: {} },
            thoughtSignature: 'skip_thought_signature_validator',
          },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'call_1',
              name: 'draw',
              response: { output: 'Drawn.\n[picture: small.png, 80 × 60, a bough]' },
              parts: [image],
            },
          },
        ],
      },
    ];
    expect(body['contents']).toEqual(contents);
    expect(report[0]).toBe('');
    const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: simulator.url } });
    const tools = [{ functionDeclarations: [{ name: 'draw', description: 'Draws.' }] }];
    await client.models.generateContent({ model: 'sim-summary', contents, config: { tools } });
  });

  it.each(['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'])(
    'SIM-21: %s: a model that takes text alone gets the text of a PDF, and names; the report says so',
    async (protocol) => {
      const { body, report } = await sent(protocol, 'sim-plain');
      const whole = JSON.stringify(body);
      expect(whole).not.toContain(PNG);
      expect(whole).not.toContain(PDF);
      expect(whole).toContain('“Trees” \\\\ branch.');
      expect(whole).toContain('[picture: small.png, 80 × 60');
      expect(whole).toContain('[audio: song.wav, 1 s]');
      expect(report[0]).toBe('file_as_line file_as_text');
    },
  );
});

describe('the simulator looks at the bytes', () => {
  const show = (block: Anthropic.ContentBlockParam) =>
    new Anthropic({ apiKey: 'none', baseURL: simulator.url, maxRetries: 0 }).messages.create({
      model: 'sim-thinker',
      max_tokens: 2_000,
      messages: [{ role: 'user', content: [block] }],
    });
  const anthropic = (source: Anthropic.Base64ImageSource) => show({ type: 'image', source });
  const chat = (url: string) =>
    new OpenAI({ apiKey: 'none', baseURL: `${simulator.url}/v1`, maxRetries: 0 }).chat.completions.create({
      model: 'sim-thinker',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    });

  it('SIM-22: a type that the bytes do not have, a picture that is none, one that is too large', async () => {
    await expect(anthropic({ type: 'base64', media_type: 'image/jpeg', data: PNG })).rejects.toThrow(
      /messages\.0\.content\.0\.image\.source\.base64\.data: Image does not match the provided media type image\/jpeg/,
    );
    await expect(anthropic({ type: 'base64', media_type: 'image/png', data: 'AAAA' })).rejects.toThrow(
      /Could not process image/,
    );
    const locked = Buffer.concat([pdfBytes(1), Buffer.from('trailer<</Encrypt 6 0 R>>')]);
    const source = { type: 'base64', media_type: 'application/pdf', data: base64(locked) } as const;
    await expect(show({ type: 'document', source })).rejects.toThrow(
      /pdf\.source\.base64\.data: The PDF specified is password/,
    );
    const wide = base64(pngBytes(8_001, 10));
    await expect(anthropic({ type: 'base64', media_type: 'image/png', data: wide })).rejects.toThrow(/8000 pixels/);
    await expect(chat(`data:image/png;base64,${base64(wavBytes(4))}`)).rejects.toThrow(
      /does not represent a valid file/,
    );
    await expect(chat(`data:image/png;base64,${PNG}`)).resolves.toBeDefined();
  });

  it('SIM-23: more than 20 pictures of which one is too wide, as earlier turns may bring together', async () => {
    const image = (width: number): Anthropic.ImageBlockParam => ({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: base64(pngBytes(width, 10)) },
    });
    const ask = (widths: readonly number[]) =>
      new Anthropic({ apiKey: 'none', baseURL: simulator.url, maxRetries: 0 }).messages.create({
        model: 'sim-thinker',
        max_tokens: 2_000,
        messages: [{ role: 'user', content: widths.map(image) }],
      });
    const twenty = Array.from({ length: 20 }, () => 100);
    await expect(ask([2_500, ...twenty.slice(1)])).resolves.toBeDefined();
    await expect(ask([2_500, ...twenty])).rejects.toThrow(/many-image requests: 2000 pixels/);
  });
});
