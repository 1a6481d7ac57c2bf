import type { Envelope } from '@bough/core';

/** What a branch without a lock is locked to, if the project does not say. */
export const DEFAULT_ENVELOPE: Envelope = {
  provider: 'simulated',
  model: 'sim-thinker',
  systemPrompt: null,
  tools: [],
  thinking: 'off',
};
