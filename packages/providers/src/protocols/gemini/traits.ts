import { isPlainObject } from '@bough/core';
import type { ModelInfo } from '../../models/model.ts';

export type ThinkingLevel = 'minimal' | 'low' | 'medium' | 'high';

export const THINKING_LEVELS: readonly ThinkingLevel[] = ['minimal', 'low', 'medium', 'high'];

/** How a model is told how much to think. Each takes one way and refuses the other. */
export type ThinkingControl =
  | { readonly by: 'level'; readonly levels: readonly ThinkingLevel[] }
  /** `canDisable`: a budget of 0 is accepted, even outside the range. */
  | { readonly by: 'budget'; readonly min: number; readonly max: number; readonly canDisable: boolean }
  | { readonly by: 'none' };

/** What only this protocol needs to know about a model. Declared in the catalogue, read here and nowhere else. */
export interface GeminiTraits {
  readonly thinking: ThinkingControl;
  /** In the running turn, the first call of every step must carry a signature. */
  readonly requiresSignatures: boolean;
  /** Signatures of earlier turns are read as well: leaving one out silently costs quality. */
  readonly readsEarlierSignatures: boolean;
  /** Its calls carry ids; a call that it did not make is given one too. */
  readonly usesCallIds: boolean;
  /** Refuses contents that end with a model turn, and text after a function response in the same content. */
  readonly refusesModelEnding: boolean;
  /** Takes functions together with the tools that Google runs. */
  readonly combinesTools: boolean;
}

/** What applies to a model that is not described: nothing optional is sent, everything that may be required is. */
export const CAUTIOUS_TRAITS: GeminiTraits = {
  thinking: { by: 'none' },
  requiresSignatures: true,
  readsEarlierSignatures: true,
  usesCallIds: true,
  refusesModelEnding: true,
  combinesTools: true,
};

export function traitsOf(model: Pick<ModelInfo, 'traits'>): GeminiTraits {
  const flag = (name: Exclude<keyof GeminiTraits, 'thinking'>): boolean => {
    const value = model.traits[name];
    return typeof value === 'boolean' ? value : CAUTIOUS_TRAITS[name];
  };
  return {
    thinking: readControl(model.traits['thinking']),
    requiresSignatures: flag('requiresSignatures'),
    readsEarlierSignatures: flag('readsEarlierSignatures'),
    usesCallIds: flag('usesCallIds'),
    refusesModelEnding: flag('refusesModelEnding'),
    combinesTools: flag('combinesTools'),
  };
}

function readControl(value: unknown): ThinkingControl {
  if (!isPlainObject(value)) return { by: 'none' };
  const { by, levels, min, max, canDisable } = value;
  if (by === 'level' && Array.isArray(levels)) {
    const known = THINKING_LEVELS.filter((level) => levels.includes(level));
    if (known.length > 0) return { by, levels: known };
  }
  if (by === 'budget' && typeof min === 'number' && typeof max === 'number') {
    return { by, min, max, canDisable: canDisable === true };
  }
  return { by: 'none' };
}
