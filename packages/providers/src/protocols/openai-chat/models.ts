import type { ChatModel } from './deployment.ts';
import { prices } from './deployment.ts';

const price = prices('2026-11-15');

/** This API neither shows the reasoning of OpenAI's models nor takes it back; `openai_responses` does both. */
const reasons = { thinks: 'on_request', shows: 'none', contextWindow: 400_000, maxOutputTokens: 128_000 } as const;
const wide = { ...reasons, contextWindow: 1_050_000 } as const;
const always = { ...reasons, thinks: 'always', contextWindow: 200_000, maxOutputTokens: 100_000 } as const;
const plain = { contextWindow: 1_047_576, maxOutputTokens: 32_768, traits: { efforts: [] } } as const;
const fixed = { sampling: 'rejected' } as const;
const fromMinimal = { ...fixed, efforts: ['minimal', 'low', 'medium', 'high'], thinksByDefault: true } as const;
const fromNone = { ...fixed, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] } as const;
/** From GPT-5.4 on, function tools on this API are refused beside an effort other than `none`. */
const noEffortWithTools = { ...fromNone, thinksByDefault: true, toolsNeedNoEffort: true } as const;
/** From GPT-5.6 on, they are refused unless the request says `none`. */
const noneWithTools = { ...noEffortWithTools, toolsNeedExplicitNone: true } as const;

export const OPENAI_CHAT_MODELS: readonly ChatModel[] = [
  { id: 'gpt-6-sol', ...wide, price: price(2, 10, 0.2), traits: noneWithTools },
  { id: 'gpt-6-luna', ...wide, price: price(0.1, 0.5, 0.01), traits: noneWithTools },
  { id: 'gpt-5.6-sol', ...wide, price: price(4, 20, 0.4), traits: noneWithTools },
  { id: 'gpt-5.6-terra', ...wide, price: price(2, 12, 0.2), traits: noneWithTools },
  { id: 'gpt-5.6-luna', ...wide, price: price(0.2, 1.2, 0.02), traits: noneWithTools },
  { id: 'gpt-5.5', ...wide, price: price(5, 30, 0.5), traits: noEffortWithTools },
  { id: 'gpt-5.4', ...wide, price: price(2.5, 15, 0.25), traits: noEffortWithTools },
  { id: 'gpt-5.4-mini', ...reasons, price: price(0.75, 4.5, 0.075), traits: noEffortWithTools },
  { id: 'gpt-5.2', ...reasons, price: price(1.75, 14, 0.175), traits: fromNone },
  {
    id: 'gpt-5.1',
    ...reasons,
    price: price(1.25, 10, 0.125),
    traits: { ...fixed, efforts: ['none', 'low', 'medium', 'high'] },
  },
  { id: 'gpt-5', ...reasons, price: price(1.25, 10, 0.125), traits: fromMinimal },
  { id: 'gpt-5-mini', ...reasons, price: price(0.25, 2, 0.025), traits: fromMinimal },
  { id: 'gpt-5-nano', ...reasons, price: price(0.05, 0.4, 0.005), traits: fromMinimal },
  { id: 'gpt-5-chat-latest', contextWindow: 128_000, maxOutputTokens: 16_384, canUseTools: false },
  { id: 'o3', ...always, price: price(2, 8, 0.5), traits: fixed },
  { id: 'o4-mini', ...always, price: price(1.1, 4.4, 0.275), traits: fixed },
  { id: 'gpt-4.1', ...plain, price: price(2, 8, 0.5) },
  { id: 'gpt-4.1-mini', ...plain, price: price(0.4, 1.6, 0.1) },
  { id: 'gpt-4o', ...plain, contextWindow: 128_000, maxOutputTokens: 16_384, price: price(2.5, 10, 1.25) },
  { id: 'gpt-4o-mini', ...plain, contextWindow: 128_000, maxOutputTokens: 16_384, price: price(0.15, 0.6, 0.075) },
];
