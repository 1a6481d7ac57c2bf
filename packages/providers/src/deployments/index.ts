import type { Deployment } from '../deployment.ts';
import { anthropic } from './anthropic.ts';
import { deepseek } from './deepseek.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { ollama } from './ollama.ts';
import { openaiResponsesDeployment } from './openai-responses.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import type { DeploymentRegistry, RegistrySources } from './registry.ts';
import { createRegistry } from './registry.ts';
import { simulatedDeployment } from './simulated/index.ts';
import { xai } from './xai.ts';

export * from './configuration/index.ts';
export * from './registry.ts';

/** The built-in deployments, in the order in which they are offered. */
export const BUILT_IN_DEPLOYMENTS: readonly Deployment[] = [
  anthropic,
  openaiResponsesDeployment,
  openai,
  gemini,
  deepseek,
  openrouter,
  groq,
  mistral,
  moonshot,
  xai,
  ollama,
];

/** The simulator under each of its protocols; a model that it does not list is looked up among the real ones. */
export function simulatedDeployments(simulatorUrl: string): readonly Deployment[] {
  return [
    simulatedDeployment('anthropic-messages', simulatorUrl, anthropic.modelInfo),
    simulatedDeployment('openai-responses', simulatorUrl, openaiResponsesDeployment.modelInfo),
    simulatedDeployment('openai-chat', simulatorUrl, openai.modelInfo),
    simulatedDeployment('gemini', simulatorUrl, gemini.modelInfo),
  ];
}

/** Every deployment of an installation. Without a simulator URL the simulated ones are left out. */
export function createDeployments(
  sources: Omit<RegistrySources, 'builtIn'> & { readonly simulatorUrl: string | null },
): DeploymentRegistry {
  const { simulatorUrl, ...rest } = sources;
  const simulated = simulatorUrl === null ? [] : simulatedDeployments(simulatorUrl);
  return createRegistry({ ...rest, builtIn: [...BUILT_IN_DEPLOYMENTS, ...simulated] });
}
