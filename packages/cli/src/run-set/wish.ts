import type { Client, EstimateRoundInput } from '@bough/api';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import { targetOf } from '../commands/ask.ts';
import { THINKING_LEVELS } from '../commands/thinking-levels.ts';

/** Who is asked, and how often. */
export async function wishOf(client: Client, input: Input): Promise<EstimateRoundInput> {
  const { providers } = await client.listProviders();
  const known = new Set(providers.map(({ id }) => id));
  const level = THINKING_LEVELS.find((each) => each === input.text('effort'));
  const every = level === undefined ? {} : { thinking: level };
  const [samples, maxTokens] = [input.whole('samples'), input.whole('max-tokens')];
  return {
    targets: [
      ...input.texts('model').map((model) => ({ ...targetOf(known, model), ...every })),
      ...input.texts('preset').map((preset) => ({ preset, ...every })),
    ],
    ...(samples === undefined ? {} : { samples }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** An amount in US dollars. */
export function moneyOf(input: Input, name: string): number | undefined {
  const text = input.text(name);
  if (text === undefined) return undefined;
  if (!/^\$?\d+(\.\d+)?$/.test(text)) throw new UsageError(`--${name} takes US dollars, such as 0.50, not "${text}".`);
  return Number(text.replace('$', ''));
}
