import type { Issuer } from '@bough/core';
import type { Deployment } from '@bough/providers';
import { deploymentKey } from '@bough/providers';
import type { KeptReply } from './session.ts';

/** Why reasoning that came with a session cannot go back to a model. */
export type StaysBecause =
  /** The client kept no signature of it. */
  | 'unsigned'
  /** Its model takes it only after exactly what it was made with: the client's instructions and tools. */
  | 'bound'
  /** Nobody here serves what made it, so that nobody can be given it back. */
  | 'unknown_maker';

/** Who made a reply, as far as this installation knows it. */
export interface Maker {
  readonly issuer: Issuer;
  /** Null for a provider that is not configured here. */
  readonly deployment: Deployment | null;
}

/** What clients call vendors, where Bough calls them otherwise. */
const NAMES: Readonly<Record<string, Readonly<Partial<Record<KeptReply['api'], string>>>>> = {
  openai: { 'openai-responses': 'openai_responses', 'openai-chat': 'openai' },
  google: { gemini: 'gemini' },
  gemini: { gemini: 'gemini' },
  moonshotai: { 'openai-chat': 'moonshot' },
};

/**
 * Session files name a vendor and never its address. What is configured here under that vendor's name is taken for the
 * maker, or the provider that the person names.
 */
export function makerOf(
  { api, vendor, model }: Pick<KeptReply, 'api' | 'vendor' | 'model'>,
  deployments: readonly Deployment[],
  madeBy: string | undefined,
): Maker {
  const named = madeBy ?? (vendor === null ? null : (NAMES[vendor]?.[api] ?? vendor));
  const deployment = deployments.find(({ id, protocol }) => id === named && protocol === api) ?? null;
  const provider = deployment?.id ?? vendor ?? 'unknown';
  return {
    deployment,
    issuer: {
      provider,
      // A name that no built-in vendor has, so that it is nobody's: it can never be taken for the vendor's own address.
      deployment: deployment === null ? `${provider}@unknown` : deploymentKey(deployment),
      model,
    },
  };
}
