import type { ProtocolHalf } from './half.ts';
import { anthropicHalf } from './protocols/anthropic-messages/index.ts';
import { geminiHalf } from './protocols/gemini/index.ts';
import { chatHalf } from './protocols/openai-chat/index.ts';
import { responsesHalf } from './protocols/openai-responses/index.ts';

/** The protocols that the simulator speaks. A request goes to the first one that accepts it. */
export const HALVES: readonly ProtocolHalf[] = [anthropicHalf, responsesHalf, geminiHalf, chatHalf];
