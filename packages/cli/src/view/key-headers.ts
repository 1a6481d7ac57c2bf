import type { ContextView } from '@bough/api';
import { BUILT_IN_DEPLOYMENTS } from '@bough/providers';

/** How a provider takes its key, with the variable that usually holds it. */
export function keyHeaders({ provider, request }: ContextView): Readonly<Record<string, string>> {
  if (provider.startsWith('simulated')) return {};
  const deployment = BUILT_IN_DEPLOYMENTS.find(({ id }) => id === provider);
  if (deployment === undefined) return { authorization: 'Bearer $API_KEY' };
  return deployment.keyOptional ? {} : deployment.authorize(`$${deployment.keyEnv[0] ?? 'API_KEY'}`, request);
}
