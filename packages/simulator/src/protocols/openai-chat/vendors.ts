import type { Deployment } from '@bough/providers';
import { BUILT_IN_DEPLOYMENTS, simulatedDeployments } from '@bough/providers';

/** Where a vendor puts its reasoning. `hidden`: it reasons and shows nothing. */
export type ReasoningForm = 'reasoning_content' | 'reasoning' | 'details' | 'tags' | 'chunks' | 'hidden';

/** One server that speaks this protocol, with the habits that a client must cope with. */
export interface Vendor {
  readonly id: string;
  /** Whose rulebook, models and limits apply. */
  readonly deployment: Deployment;
  /** False for a server without a list of its own: it serves any model that it is asked for. */
  readonly isNamed: boolean;
  readonly reasoning: (model: string) => ReasoningForm;
  /** Whether a model thinks without being asked. */
  readonly thinksByDefault: boolean;
  /** Where the token counts appear at the end of a stream. */
  readonly usage: 'own_chunk' | 'last_chunk' | 'choice' | 'x_groq';
  /** Prefix and length of a tool call id. */
  readonly callId: readonly [string, number];
  /** Tool calls come whole, in one chunk, instead of in fragments. */
  readonly wholeCalls: boolean;
  /** A refusal has a field of its own; elsewhere it is text. */
  readonly refusalField: boolean;
  /** A finish reason follows each of several calls, not only the last. */
  readonly finishesEachCall: boolean;
  /** Each choice holds the whole message so far next to its delta, even in a reply that is not streamed. */
  readonly messageBesideDelta: boolean;
}

type Habits = Omit<Vendor, 'id' | 'deployment' | 'isNamed'>;

const HABITS: Habits = {
  reasoning: () => 'reasoning_content',
  thinksByDefault: false,
  usage: 'own_chunk',
  callId: ['call_', 24],
  wholeCalls: false,
  refusalField: false,
  finishesEachCall: false,
  messageBesideDelta: false,
};

/** The simulator's own models whose form is not the usual one. */
const OWN_FORMS: Readonly<Record<string, ReasoningForm>> = { 'sim-summary': 'details', 'sim-tags': 'tags' };

const VENDORS: readonly Vendor[] = [
  vendor('openai', { reasoning: () => 'hidden', refusalField: true }),
  vendor('deepseek', { thinksByDefault: true, usage: 'last_chunk', callId: ['call_00_', 20] }),
  vendor('mistral', { reasoning: () => 'chunks', usage: 'last_chunk', callId: ['', 9], wholeCalls: true }),
  vendor('groq', { reasoning: () => 'reasoning', usage: 'x_groq', callId: ['fc_', 28] }),
  vendor('openrouter', { reasoning: () => 'details', usage: 'last_chunk', refusalField: true }),
  vendor('moonshot', { thinksByDefault: true, usage: 'choice', callId: ['functions.call:', 6] }),
  vendor('xai', { reasoning: () => 'hidden', wholeCalls: true, callId: ['call_', 8] }),
  vendor('ollama', { reasoning: () => 'reasoning', thinksByDefault: true, wholeCalls: true, callId: ['call_', 8] }),
];

/** Any path that belongs to no vendor: a generic OpenAI server with the simulator's own models. */
const GENERIC: Vendor = {
  ...HABITS,
  id: 'generic',
  isNamed: false,
  deployment: chatDeployment(simulatedDeployments('http://127.0.0.1'), 'simulated_chat'),
  reasoning: (model) => OWN_FORMS[model] ?? 'reasoning_content',
  refusalField: true,
};

/** Servers without a deployment of their own, for behaviour that only they have. */
const OTHERS: readonly Vendor[] = [
  { ...GENERIC, id: 'together', finishesEachCall: true },
  { ...GENERIC, id: 'perplexity', messageBesideDelta: true },
];

/** The vendor of a path: `/deepseek/v1/chat/completions` is DeepSeek's. */
export function vendorOf(path: string): Vendor {
  return [...VENDORS, ...OTHERS].find(({ id }) => path.startsWith(`/${id}/`)) ?? GENERIC;
}

function vendor(id: string, habits: Partial<Habits>): Vendor {
  return { ...HABITS, ...habits, id, isNamed: true, deployment: chatDeployment(BUILT_IN_DEPLOYMENTS, id) };
}

function chatDeployment(deployments: readonly Deployment[], id: string): Deployment {
  const found = deployments.find((deployment) => deployment.id === id);
  if (found === undefined) throw new Error(`There is no deployment "${id}" to simulate.`);
  return found;
}
