import { context } from './context/index.ts';
import { fold } from './fold/index.ts';
import type { Suite } from './frame/suite.ts';
import { memory } from './memory/index.ts';
import { start } from './start/index.ts';
import { store } from './store/index.ts';
import { latency, stream } from './stream/index.ts';

/** In the order of the table. */
export const SUITES: readonly Suite[] = [stream, latency, context, store, start, fold, memory];

/** Whose versions are printed. */
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
  'pg',
];
