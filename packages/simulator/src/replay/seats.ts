import type { Deployment } from '@bough/providers';
import { BUILT_IN_DEPLOYMENTS, createProvider, simulatedDeployments } from '@bough/providers';
import { unlistedOf } from '../unlisted/index.ts';
import type { Seat } from './conversation.ts';

/**
 * Every model that the simulator can play: its own, those of the real vendors with their rulebooks, and some that no
 * catalogue has, which the vendors' lists describe.
 */
export async function allSeats(simulatorUrl: string): Promise<readonly Seat[]> {
  const own = simulatedDeployments(simulatorUrl);
  const vendors = BUILT_IN_DEPLOYMENTS.map((deployment) => ({
    ...deployment,
    baseUrl: simulatedBase(deployment, simulatorUrl),
  }));
  const keeping = own
    .filter(({ protocol }) => protocol === 'openai-responses')
    .map((deployment) => ({
      ...deployment,
      id: 'keeps_responses',
      quirks: { ...deployment.quirks, storeResponses: true },
    }));
  // It sends a finish reason after each of several calls.
  const finishing = own
    .filter(({ protocol }) => protocol === 'openai-chat')
    .map((deployment) => ({ ...deployment, id: 'together', baseUrl: `${simulatorUrl}/together/v1` }));
  const seats = [...own, ...keeping, ...finishing, ...vendors].map(async (deployment): Promise<readonly Seat[]> => {
    const provider = createProvider(deployment, { key: 'simulated', retries: 0, drainTimeoutMs: 50 });
    const unlisted = unlistedOf(deployment.id).map(({ id }) => id);
    for (const id of unlisted) await provider.findModel(id, 'branching');
    return [...deployment.models.map(({ id }) => id), ...unlisted].map((model) => ({ provider, model }));
  });
  return (await Promise.all(seats)).flat();
}

function simulatedBase({ id, protocol }: Deployment, url: string): string {
  switch (protocol) {
    case 'anthropic-messages':
    case 'gemini':
      return url;
    case 'openai-responses':
      return `${url}/v1`;
    case 'openai-chat':
      return `${url}/${id}/v1`;
  }
}
