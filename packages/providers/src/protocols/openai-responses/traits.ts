import type { Deployment } from '../../deployment.ts';
import type { ModelInfo } from '../../models/model.ts';

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** What a model accepts, declared in the deployment's catalogue and read only here. */
export interface ResponsesTraits {
  /** The values of `reasoning.effort`, weakest first. Empty: the model refuses every reasoning parameter. */
  readonly efforts: readonly Effort[];
  /** Whether `reasoning.summary` is accepted. */
  readonly summaries: boolean;
  /**
   * Whether `reasoning.context` may be `all_turns`: then reasoning of every earlier turn is read, not only of the
   * running one.
   */
  readonly allTurns: boolean;
  /** Whether `reasoning.mode` is accepted. */
  readonly modes: boolean;
  /** Whether its messages carry `phase`, without which it answers worse. */
  readonly phases: boolean;
  /** When `temperature` and `top_p` are accepted. */
  readonly sampling: 'always' | 'without_reasoning' | 'never';
  /** Whether it takes `prompt_cache_options`: they came with 5.6. */
  readonly cacheOptions: boolean;
}

const DEFAULTS: ResponsesTraits = {
  efforts: [],
  summaries: false,
  allTurns: false,
  modes: false,
  phases: false,
  sampling: 'always',
  cacheOptions: false,
};

export function readTraits(model: Pick<ModelInfo, 'traits'>): ResponsesTraits {
  const { efforts, summaries, allTurns, modes, phases, sampling, cacheOptions } = model.traits;
  return {
    efforts: Array.isArray(efforts) ? EFFORTS.filter((effort) => efforts.includes(effort)) : DEFAULTS.efforts,
    summaries: summaries === true,
    allTurns: allTurns === true,
    modes: modes === true,
    phases: phases === true,
    sampling: sampling === 'never' || sampling === 'without_reasoning' ? sampling : DEFAULTS.sampling,
    cacheOptions: cacheOptions === true,
  };
}

/** How a deployment differs from OpenAI's own endpoint. */
export interface ResponsesQuirks {
  /**
   * `openai`: reasoning is sent back encrypted, its plain text is refused, and the form of ids is checked. `open`: a
   * server of open weights, which takes the plain reasoning text back and checks no ids.
   */
  readonly dialect: 'openai' | 'open';
  /** Keep responses at the provider (`store: true`), so that a request may continue from `previous_response_id`. */
  readonly storeResponses: boolean;
  /**
   * Whether each model decrypts the reasoning of the others: so at OpenAI itself. Clouds that serve its models refuse
   * what another one encrypted.
   */
  readonly sharesReasoning: boolean;
  /** Ask for reasoning summaries. Some organisations may not, and are refused for asking. */
  readonly summaries: boolean;
  /** Reasoning comes with its encrypted content whether or not the request asks for it. */
  readonly encryptsByDefault: boolean;
  /** Whether requests with the same `prompt_cache_key` find each other's cache sooner. */
  readonly promptCacheKey: boolean;
  /** Whether the provider compares a request with an earlier one, and says what its cache missed. */
  readonly cacheDiagnostics: boolean;
}

/** Clouds that serve OpenAI's models, each with keys of its own per model. */
const CLOUDS = /\.(?:azure\.com|amazonaws\.com)(?:[:/]|$)/;

export function readQuirks(deployment: Pick<Deployment, 'quirks' | 'baseUrl'>): ResponsesQuirks {
  const { dialect, storeResponses, sharesReasoning, summaries, encryptsByDefault } = deployment.quirks;
  const { promptCacheKey, cacheDiagnostics } = deployment.quirks;
  return {
    dialect: dialect === 'open' ? 'open' : 'openai',
    storeResponses: storeResponses === true,
    sharesReasoning: sharesReasoning === true && !CLOUDS.test(deployment.baseUrl),
    summaries: summaries !== false,
    encryptsByDefault: encryptsByDefault === true,
    promptCacheKey: promptCacheKey === true,
    cacheDiagnostics: cacheDiagnostics === true && !CLOUDS.test(deployment.baseUrl),
  };
}

/** Whether the deployment stores its responses, so that a request can continue from one. */
export function continuesResponses(deployment: Deployment): boolean {
  return deployment.protocol === 'openai-responses' && readQuirks(deployment).storeResponses;
}
