import type { Envelope } from '@bough/core';
import type { Environment } from '../environment.ts';

export function thinks(env: Environment, { provider, model, thinking }: Envelope): boolean {
  const info = env.providers.get(provider).modelInfo(model);
  return info.alwaysThinks || (info.canThink && thinking !== 'off');
}
