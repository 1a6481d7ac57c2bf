import type { ThinkingSetting } from '@bough/core';
import { thinkingBudget, thinkingLevel } from '../../../models/thinking.ts';
import type { GeminiTraits, ThinkingLevel } from '../traits.ts';
import { THINKING_LEVELS } from '../traits.ts';
import type { WireThinkingConfig } from '../wire.ts';

/**
 * A setting in the model's terms. If thinking is off, a model that cannot stop thinking gets the least it accepts, and
 * its thoughts are not requested. Undefined if the model takes no setting at all.
 */
export function thinkingConfig(setting: ThinkingSetting, { thinking }: GeminiTraits): WireThinkingConfig | undefined {
  const level = thinkingLevel(setting);
  const includeThoughts = level !== 'off';
  switch (thinking.by) {
    case 'none':
      return undefined;
    case 'level':
      return { thinkingLevel: nearestLevel(level === 'off' ? 'minimal' : level, thinking.levels), includeThoughts };
    case 'budget':
      if (level === 'off' && thinking.canDisable) return { thinkingBudget: 0, includeThoughts };
      return { thinkingBudget: clamp(thinkingBudget(setting), thinking.min, thinking.max), includeThoughts };
  }
}

/** The supported level closest to the wanted one; of two equally close ones, the deeper. */
export function nearestLevel(wanted: ThinkingLevel, levels: readonly ThinkingLevel[]): ThinkingLevel {
  const distance = (level: ThinkingLevel): number =>
    Math.abs(THINKING_LEVELS.indexOf(level) - THINKING_LEVELS.indexOf(wanted));
  return levels.reduce((best, level) => (distance(level) <= distance(best) ? level : best), levels[0] ?? 'low');
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(Math.floor(value), min), max);
}
