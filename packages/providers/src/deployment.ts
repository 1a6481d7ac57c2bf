import type { ProtocolId } from '@bough/core';
import type { Authorize } from './auth/index.ts';
import type { ModelFacts } from './models/facts.ts';
import type { ModelInfo } from './models/model.ts';

/**
 * One place where a protocol is served: base URL, authentication, models and quirks. A new vendor is one small file in
 * `deployments/`. A deployment holds no secret; the key is handed to the transport.
 */
export interface Deployment {
  /** The provider id that a branch is locked to. */
  readonly id: string;
  readonly label: string;
  readonly protocol: ProtocolId;
  readonly baseUrl: string;
  /** Environment variables that hold the key and the base URL, in order of preference. */
  readonly keyEnv: readonly string[];
  readonly baseUrlEnv: readonly string[];
  /** True if the server works without a key (a local one, the simulator). */
  readonly keyOptional: boolean;
  readonly authorize: Authorize;
  /** Headers sent with every request, none of them secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly ModelInfo[];
  readonly defaultModel: string;
  /** Looks a model up; an unknown one gets conservative values and `known: false`. */
  readonly modelInfo: (model: string) => ModelInfo;
  /** What the configuration says about models: it wins over what the vendor's list says. */
  readonly stated?: ReadonlyMap<string, ModelFacts>;
  /** What only the protocol understands: which reasoning field it takes, which token parameter, which form of ids, … */
  readonly quirks: Readonly<Record<string, unknown>>;
  /** Names the issuer if its signatures outlive its address: the simulator's port changes with every start. */
  readonly issuerKey?: string;
}

/** The issuer string of a deployment: a changed base URL is another issuer, because its signatures are its own. */
export function deploymentKey(deployment: Pick<Deployment, 'id' | 'baseUrl' | 'issuerKey'>): string {
  if (deployment.issuerKey !== undefined) return deployment.issuerKey;
  return `${deployment.id}@${deployment.baseUrl.replace(/^https?:\/\//, '').replace(/\/+$/, '')}`;
}
