import type { Issuer } from '@bough/core';
import { deploymentKey } from '../deployment.ts';
import { BUILT_IN_DEPLOYMENTS } from './index.ts';

/**
 * The issuer of a raw response from before issuers named their endpoint. Such data knows only the vendor's own one: a
 * provider id without a host is that vendor's public address, wherever this installation sends its requests today.
 * Without this, a reply would be a stranger to the model that made it, and its reasoning would never go back.
 */
export function withEndpoint<Raw extends Issuer>(raw: Raw): Raw {
  if (raw.deployment !== raw.provider) return raw;
  const vendor = BUILT_IN_DEPLOYMENTS.find(({ id }) => id === raw.provider);
  return vendor === undefined ? raw : { ...raw, deployment: deploymentKey(vendor) };
}
