import type { ProtocolId, ProviderToolName } from '@bough/core';
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
  /** What the vendor runs itself here, for models that take it. Absent: nothing. */
  readonly providerTools?: readonly ProviderToolName[];
  /** Where files are given to the vendor, for containers that code runs in. Absent: it takes none. */
  readonly filesApi?: FilesApi;
  /** What the configuration says about models: it wins over what the vendor's list says. */
  readonly stated?: ReadonlyMap<string, ModelFacts>;
  /** What only the protocol understands: which reasoning field it takes, which token parameter, which form of ids, … */
  readonly quirks: Readonly<Record<string, unknown>>;
  /** Where to ask whether a key is right, below the base URL, if the list of models is open to everybody. */
  readonly keyPath?: string;
  /** Names the issuer if its signatures outlive its address: the simulator's port changes with every start. */
  readonly issuerKey?: string;
}

/** How a file is uploaded: one form with the file and these fields, to this address. */
export interface FilesApi {
  readonly url: (baseUrl: string) => string;
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The issuer string of a deployment: a changed base URL is another issuer, because its signatures are its own. */
export function deploymentKey(deployment: Pick<Deployment, 'id' | 'baseUrl' | 'issuerKey'>): string {
  if (deployment.issuerKey !== undefined) return deployment.issuerKey;
  return `${deployment.id}@${deployment.baseUrl.replace(/^https?:\/\//, '').replace(/\/+$/, '')}`;
}
