import { context } from './context/index.ts';
import { files } from './files/index.ts';
import { fold } from './fold/index.ts';
import type { Suite } from './frame/suite.ts';
import { gateway } from './gateway/index.ts';
import { memory } from './memory/index.ts';
import { search } from './search/index.ts';
import { start } from './start/index.ts';
import { store } from './store/index.ts';
import { latency, stream } from './stream/index.ts';

/** In the order of the table. */
export const SUITES: readonly Suite[] = [stream, latency, context, store, search, files, start, fold, memory, gateway];

/** The packages whose versions are printed. */
export const PEERS: readonly string[] = [
  'ai',
  '@ai-sdk/anthropic',
  '@ai-sdk/openai',
  '@ai-sdk/google',
  '@anthropic-ai/sdk',
  'openai',
  '@google/genai',
  '@langchain/core',
  '@langchain/anthropic',
  '@langchain/langgraph-checkpoint-postgres',
  'eventsource-parser',
  'minisearch',
  'pg',
];

/**
 * What the README's chart shows: one size of each kind of work that has peers, including those where Bough is the more
 * expensive one.
 */
export const IN_SHORT: readonly string[] = [
  'stream, 8 × 20,000',
  'stream, 64 × 312',
  'latency, 64 streams, p99',
  'context, 10 turns',
  'context, 1,000 turns',
  'context, 1,000 turns, first request',
  'store: append, 1 k nodes',
  'store: newest page, 1 k nodes',
  'fold, anthropic-messages',
  'fold, openai-responses',
  'fold, openai-chat',
  'fold, gemini',
];
