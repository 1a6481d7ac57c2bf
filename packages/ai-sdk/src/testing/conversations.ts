import type { AssistantModelMessage, ModelMessage } from 'ai';
import type { Ask, Lab, Vendor } from './lab.ts';
import { ask, bridged, openLab, user } from './lab.ts';

export const BUDGET: Ask = {
  providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } } },
  maxOutputTokens: 8000,
};
export const ENCRYPTED: Ask = { providerOptions: { openai: { store: false, reasoningSummary: 'auto' } } };
export const THOUGHTS: Ask = { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } };

/** Real replies of the simulated models, each with a thought and a call, and the result of the call. */
export interface Conversations {
  readonly opus: readonly ModelMessage[];
  readonly fable: readonly ModelMessage[];
  readonly gpt: readonly ModelMessage[];
  readonly gemini: readonly ModelMessage[];
  readonly gemini25: readonly ModelMessage[];
  /** From a server whose signatures no other server can read. */
  readonly proxied: readonly ModelMessage[];
  readonly proxiedRedacted: readonly ModelMessage[];
}

export const QUESTION = user('/sim think 1 /sim tools calculator');
const REDACTED = user('/sim redacted 1 /sim tools calculator');

export async function makeConversations(lab: Lab): Promise<Conversations> {
  const make = async (
    at: Lab,
    [vendor, id]: readonly [Vendor, string],
    more: Ask,
    { question = QUESTION, endpoint }: { question?: ModelMessage; endpoint?: string } = {},
  ): Promise<readonly ModelMessage[]> => {
    const { model } = bridged(at.model(vendor, id), endpoint === undefined ? {} : { endpoint }, at.sdk);
    return [question, ...(await ask(model, [question], { ...more, sdk: at.sdk })).messages];
  };
  const proxy = await openLab({ signingKey: 'another server' }, lab.version);
  try {
    const opus = ['claude', 'claude-opus-4-5'] as const;
    return {
      opus: await make(lab, opus, BUDGET),
      fable: await make(lab, ['claude', 'claude-fable-5-2'], {}),
      gpt: await make(lab, ['gpt', 'gpt-5'], ENCRYPTED),
      gemini: await make(lab, ['gemini', 'gemini-3.8-flash'], THOUGHTS),
      gemini25: await make(lab, ['gemini', 'gemini-2.5-pro'], THOUGHTS),
      proxied: await make(proxy, opus, BUDGET, { endpoint: 'proxy' }),
      proxiedRedacted: await make(proxy, opus, BUDGET, { question: REDACTED, endpoint: 'proxy' }),
    };
  } finally {
    await proxy.close();
  }
}

export type ReplyPart = Exclude<AssistantModelMessage['content'], string>[number];

export function mapReplies(
  messages: readonly ModelMessage[],
  change: (parts: ReplyPart[]) => ReplyPart[],
): readonly ModelMessage[] {
  return messages.map((message) =>
    message.role === 'assistant' && typeof message.content !== 'string'
      ? { ...message, content: change(message.content) }
      : message,
  );
}

/** As kept by an application that knows only texts and tools. */
export function withoutMetadata(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return mapReplies(messages, (parts) =>
    parts
      .filter((part) => part.type !== 'reasoning')
      .map((part) => {
        if (part.type !== 'text' && part.type !== 'tool-call') return part;
        const { providerOptions: _, ...rest } = part;
        return rest;
      }),
  );
}

export const said = (text: string): ModelMessage => ({ role: 'assistant', content: text });

/** A call and its result that no provider made, under any id and name. */
export function exchange(
  toolCallId: string,
  toolName = 'calculator',
  after: readonly ReplyPart[] = [],
): ModelMessage[] {
  const call: ReplyPart = { type: 'tool-call', toolCallId, toolName, input: { expression: '1 + 1' } };
  return [
    { role: 'assistant', content: [call, ...after] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: '2' } }] },
  ];
}
