import type { ChatModel } from './deployment.ts';

/** All of them take pictures and PDFs. */
const sees = { canSee: true, canReadPdfs: true } as const;
/** This API neither shows the reasoning of OpenAI's models nor takes it back; `openai_responses` does both. */
const reasons = {
  ...sees,
  thinks: 'on_request',
  shows: 'none',
  contextWindow: 400_000,
  maxOutputTokens: 128_000,
} as const;
const wide = { ...reasons, contextWindow: 1_050_000 } as const;
const always = { ...reasons, thinks: 'always', contextWindow: 200_000, maxOutputTokens: 100_000 } as const;
const plain = { ...sees, contextWindow: 1_047_576, maxOutputTokens: 32_768, traits: { efforts: [] } } as const;
const fixed = { sampling: 'rejected' } as const;
const fromMinimal = { ...fixed, efforts: ['minimal', 'low', 'medium', 'high'], thinksByDefault: true } as const;
const fromNone = { ...fixed, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] } as const;
/** From GPT-5.4 on, function tools on this API are refused beside an effort other than `none`. */
const noEffortWithTools = { ...fromNone, thinksByDefault: true, toolsNeedNoEffort: true } as const;
/** From GPT-5.6 on, they are refused unless the request says `none`. */
const noneWithTools = { ...noEffortWithTools, toolsNeedExplicitNone: true } as const;

export const OPENAI_CHAT_MODELS: readonly ChatModel[] = [
  { id: 'gpt-6-sol', ...wide, traits: noneWithTools },
  { id: 'gpt-6-luna', ...wide, traits: noneWithTools },
  { id: 'gpt-5.6-sol', ...wide, traits: noneWithTools },
  { id: 'gpt-5.6-terra', ...wide, traits: noneWithTools },
  { id: 'gpt-5.6-luna', ...wide, traits: noneWithTools },
  { id: 'gpt-5.5', ...wide, traits: noEffortWithTools },
  { id: 'gpt-5.4', ...wide, traits: noEffortWithTools },
  { id: 'gpt-5.4-mini', ...reasons, traits: noEffortWithTools },
  { id: 'gpt-5.2', ...reasons, traits: fromNone },
  {
    id: 'gpt-5.1',
    ...reasons,
    traits: { ...fixed, efforts: ['none', 'low', 'medium', 'high'] },
  },
  { id: 'gpt-5', ...reasons, traits: fromMinimal },
  { id: 'gpt-5-mini', ...reasons, traits: fromMinimal },
  { id: 'gpt-5-nano', ...reasons, traits: fromMinimal },
  { id: 'gpt-5-chat-latest', ...sees, contextWindow: 128_000, maxOutputTokens: 16_384, canUseTools: false },
  { id: 'o3', ...always, traits: fixed },
  { id: 'o4-mini', ...always, traits: fixed },
  { id: 'gpt-4.1', ...plain },
  { id: 'gpt-4.1-mini', ...plain },
  { id: 'gpt-4o', ...plain, contextWindow: 128_000, maxOutputTokens: 16_384 },
  { id: 'gpt-4o-mini', ...plain, contextWindow: 128_000, maxOutputTokens: 16_384 },
];
