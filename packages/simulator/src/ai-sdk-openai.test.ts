import { createOpenAI, openai } from '@ai-sdk/openai';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import { generateObject, generateText, jsonSchema, stepCountIs, streamObject, streamText, tool } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './server.ts';

// What people do with the AI SDK on OpenAI beyond a text and a tool loop (those are in ai-sdk.test.ts).

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'ai sdk' });
});
beforeEach(() => simulator.clearLog());
afterAll(() => simulator.close());

function complaints(): readonly string[] {
  const found = simulator.log().filter(({ kind }) => kind !== 'accepted');
  return found.map(({ kind, rule, detail }) => `${kind} ${rule}: ${detail}`);
}

const provider = (): ReturnType<typeof createOpenAI> =>
  createOpenAI({ apiKey: 'none', baseURL: `${simulator.url}/openai/v1` });
const MODELS: Readonly<Record<string, () => LanguageModel>> = {
  Responses: () => provider().responses('gpt-5.1'),
  'Chat Completions': () => provider().chat('gpt-5.1'),
};
const City = jsonSchema({
  type: 'object',
  properties: {
    name: { type: 'string' },
    people: { type: 'number' },
    rivers: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'people', 'rivers'],
  additionalProperties: false,
});
const A_CITY: unknown = { name: expect.any(String), people: expect.any(Number), rivers: [expect.any(String)] };
const calculator = tool({
  description: 'Evaluates an expression.',
  inputSchema: jsonSchema<{ expression: string }>({
    type: 'object',
    properties: { expression: { type: 'string' } },
    required: ['expression'],
    additionalProperties: false,
  }),
  execute: async ({ expression }) => `the value of ${expression}`,
});
const stateless = { openai: { store: false, include: ['reasoning.encrypted_content'], reasoningSummary: 'auto' } };

describe.each(Object.keys(MODELS))('the AI SDK on %s', (api) => {
  const model = (): LanguageModel => MODELS[api]?.() ?? expect.unreachable();

  it('SIM-AI-3: an object has the shape of its schema, whole and streamed', async () => {
    const { object } = await generateObject({ model: model(), schema: City, prompt: 'Describe Vienna.' });
    expect(object).toEqual(A_CITY);
    const streamed = streamObject({ model: model(), schema: City, prompt: 'Describe Vienna.' });
    for await (const part of streamed.partialObjectStream) expect(part).toBeTypeOf('object');
    expect(await streamed.object).toEqual(A_CITY);
    expect(complaints()).toEqual([]);
  });

  it.each(['required' as const, { type: 'tool' as const, toolName: 'calculator' as const }])(
    'SIM-AI-3: a forced tool is called: %j',
    async (toolChoice) => {
      const { toolCalls } = await generateText({ model: model(), prompt: 'Hello.', tools: { calculator }, toolChoice });
      expect(toolCalls.map(({ toolName }) => toolName)).toEqual(['calculator']);
      expect(complaints()).toEqual([]);
    },
  );

  it('SIM-AI-3: several turns with tools go back as the SDK keeps them', async () => {
    const messages: ModelMessage[] = [];
    for (const content of ['What is 17 * 23?', '/sim tools calculator x2 steps 2', 'Thank you.']) {
      messages.push({ role: 'user', content });
      const result = streamText({
        model: model(),
        messages,
        tools: { calculator },
        stopWhen: stepCountIs(5),
        ...(api === 'Responses' && { providerOptions: stateless }),
      });
      expect(await result.text).not.toBe('');
      messages.push(...(await result.response).messages);
    }
    // On this API the SDK writes the arguments of a call anew; the simulator notes it, and a vendor does not mind.
    expect(complaints().filter((line) => !line.includes('arguments_rewritten'))).toEqual([]);
  });
});

describe('the AI SDK on Responses', () => {
  const model = (): LanguageModel => MODELS['Responses']?.() ?? expect.unreachable();

  const SHELL_OUTPUT = { output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit' as const, exitCode: 0 } }] };
  const TOOLS: Readonly<Record<string, ToolSet>> = {
    shell: { shell: openai.tools.shell({ execute: async () => SHELL_OUTPUT }) },
    local_shell: { local_shell: openai.tools.localShell({ execute: async () => ({ output: 'a.txt' }) }) },
    apply_patch: {
      apply_patch: openai.tools.applyPatch({
        execute: async () => ({ status: 'completed' as const, output: 'Done.' }),
      }),
    },
  };

  it.each(Object.keys(TOOLS).flatMap((name) => [[name, false] as const, [name, true] as const]))(
    'SIM-AI-4: the tool %s of the provider is run by the client and answered (stored: %s)',
    async (name, store) => {
      const messages: ModelMessage[] = [{ role: 'user', content: `/sim tools ${name}` }];
      const providerOptions = store ? { openai: { store: true } } : stateless;
      const settings = { model: model(), tools: TOOLS[name] ?? {}, stopWhen: stepCountIs(3), providerOptions };
      const { steps, response } = await generateText({ ...settings, messages });
      expect(steps.flatMap(({ toolResults }) => toolResults)).toHaveLength(1);
      messages.push(...response.messages, { role: 'user', content: 'Thank you.' });
      expect((await generateText({ ...settings, messages })).text).not.toBe('');
      expect(complaints()).toEqual([]);
    },
  );
});
