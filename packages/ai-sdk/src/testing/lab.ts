import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Simulator, SimulatorOptions } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import type { ModelMessage } from 'ai';
import { isPlainObject } from '@bough/core';
import { jsonSchema, tool } from 'ai';
import type { ReplayOptions } from '../replay/index.ts';
import { boughReplay } from '../replay/index.ts';
import type { ReplayReport } from '../report/index.ts';
import type { WireOptions } from '../wire/index.ts';
import { boughFetch } from '../wire/index.ts';
import type { Sdk, SdkVersion } from './sdk.ts';
import { sdkOf } from './sdk.ts';

// The AI SDK would print every warning; tests check them instead.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

export type Vendor = 'claude' | 'gpt' | 'chat' | 'gemini';

/** One request as it was sent, and the simulator's answer. */
export interface Exchange {
  readonly url: string;
  readonly body: Record<string, unknown>;
  readonly status: number;
}

export interface Lab {
  readonly simulator: Simulator;
  readonly sdk: Sdk;
  readonly version: SdkVersion;
  /** A model of the real AI SDK whose requests go to the simulator and are recorded. */
  readonly model: (vendor: Vendor, id: string, options?: WireOptions) => LanguageModelV3;
  readonly exchanges: Exchange[];
  readonly close: () => Promise<void>;
}

export async function openLab(options: SimulatorOptions = {}, version: SdkVersion = 6): Promise<Lab> {
  const sdk = sdkOf(version);
  const simulator = await startSimulator(options);
  const exchanges: Exchange[] = [];
  const model = (vendor: Vendor, id: string, fetch: typeof globalThis.fetch): LanguageModelV3 => {
    const settings = { apiKey: 'simulated', fetch };
    switch (vendor) {
      case 'claude':
        return sdk.createAnthropic({ ...settings, baseURL: `${simulator.url}/v1` })(id);
      case 'gpt':
        return sdk.createOpenAI({ ...settings, baseURL: `${simulator.url}/v1` }).responses(id);
      case 'chat':
        return sdk.createOpenAI({ ...settings, baseURL: `${simulator.url}/openai/v1` }).chat(id);
      case 'gemini':
        return sdk.createGoogleGenerativeAI({ ...settings, baseURL: `${simulator.url}/v1beta` })(id);
    }
  };
  const recording: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    const url = input instanceof Request ? input.url : input.toString();
    exchanges.push({ url, body: isPlainObject(body) ? body : {}, status: response.status });
    return response;
  };
  return {
    simulator,
    sdk,
    version,
    // With options, the guard at the wire sits between the AI SDK and the recorder.
    model: (vendor, id, guard) =>
      model(vendor, id, guard === undefined ? recording : boughFetch({ ...guard, fetch: recording })),
    exchanges,
    close: simulator.close,
  };
}

export const calculator = tool({
  description: 'Evaluates an expression.',
  inputSchema: jsonSchema<{ expression: string }>({
    type: 'object',
    properties: { expression: { type: 'string' } },
    required: ['expression'],
  }),
  execute: async ({ expression }) => `the value of ${expression}`,
});

export interface Ask {
  readonly system?: string;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly providerOptions?: SharedV3ProviderOptions;
  /** How many replies may follow each other; 1, the default, stops after the first results. */
  readonly steps?: number;
  /** Of version 7 alone. */
  readonly reasoning?: 'none' | 'low' | 'high';
  /** Which version asks; 6 unless it is given. */
  readonly sdk?: Sdk;
}

/** The outcome of one question: the words of the reply and its messages, or the refusal. */
export interface Answer {
  readonly status: number;
  readonly error: string;
  readonly text: string;
  readonly messages: readonly ModelMessage[];
  readonly warnings: readonly string[];
}

/** Asks once, without retries, and never throws for a refusal. */
export async function ask(model: LanguageModelV3, messages: readonly ModelMessage[], more: Ask = {}): Promise<Answer> {
  const { steps = 1, sdk = sdkOf(6), ...settings } = more;
  try {
    const result = await sdk.generateText({
      model,
      messages: [...messages],
      tools: { calculator },
      stopWhen: sdk.stepCountIs(steps),
      maxRetries: 0,
      allowSystemInMessages: true,
      ...settings,
    });
    const warnings = result.steps.flatMap(
      (step) => step.warnings?.map((warning) => ('message' in warning ? warning.message : warning.feature)) ?? [],
    );
    return { status: 200, error: '', text: result.text, messages: result.response.messages, warnings };
  } catch (error) {
    if (!sdk.APICallError.isInstance(error)) throw error;
    return { status: error.statusCode ?? 0, error: error.message, text: '', messages: [], warnings: [] };
  }
}

/** The same model wrapped by the bridge, with what it reports. */
export function bridged(
  model: LanguageModelV3,
  options: ReplayOptions = {},
  { wrapLanguageModel } = sdkOf(6),
): { readonly model: LanguageModelV3; readonly reports: ReplayReport[] } {
  const reports: ReplayReport[] = [];
  const middleware = boughReplay({ ...options, onReport: (report) => reports.push(report) });
  return { model: wrapLanguageModel({ model, middleware }), reports };
}

export const user = (content: string): ModelMessage => ({ role: 'user', content });
