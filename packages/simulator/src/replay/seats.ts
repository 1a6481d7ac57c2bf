import type { Deployment } from '@bough/providers';
import { BUILT_IN_DEPLOYMENTS, createProvider, simulatedDeployments } from '@bough/providers';
import type { Seat } from './conversation.ts';

/** Every model that the simulator can play: its own, and those of the real vendors with their rulebooks. */
export function allSeats(simulatorUrl: string): readonly Seat[] {
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
  return [...own, ...keeping, ...vendors].flatMap((deployment) => {
    const provider = createProvider(deployment, { key: 'simulated', retries: 0, drainTimeoutMs: 50 });
    return deployment.models.map(({ id }) => ({ provider, model: id }));
  });
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
