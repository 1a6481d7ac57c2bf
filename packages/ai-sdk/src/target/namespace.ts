import type { ProtocolId } from '@bough/core';
import { BUILT_IN_DEPLOYMENTS, simulatedDeployments } from '@bough/providers';
import type { Namespace } from '../metadata/index.ts';
import { NAMESPACES } from './index.ts';

// Apart from the target: the middleware knows its model, and does not need to know every deployment.
const PROTOCOLS: ReadonlyMap<string, ProtocolId> = new Map(
  [...BUILT_IN_DEPLOYMENTS, ...simulatedDeployments('')].map(({ id, protocol }) => [id, protocol]),
);

/**
 * Where the AI SDK keeps the signatures of one of Bough's providers. An unknown one is treated like Claude, whose
 * blocks Bough's resemble.
 */
export function namespaceOfProvider(provider: string | null): Namespace {
  const protocol = PROTOCOLS.get(provider?.replace(/@.*$/s, '') ?? '');
  return protocol === undefined ? 'anthropic' : NAMESPACES[protocol];
}
