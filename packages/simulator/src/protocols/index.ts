import type { SimulatedProtocol } from '../simulated-protocol.ts';
import { anthropicProtocol } from './anthropic-messages/index.ts';
import { geminiProtocol } from './gemini/index.ts';
import { chatProtocol } from './openai-chat/index.ts';
import { responsesProtocol } from './openai-responses/index.ts';

/** The protocols that the simulator speaks. A request goes to the first one that accepts it. */
export const SIMULATED_PROTOCOLS: readonly SimulatedProtocol[] = [
  anthropicProtocol,
  responsesProtocol,
  geminiProtocol,
  chatProtocol,
];
