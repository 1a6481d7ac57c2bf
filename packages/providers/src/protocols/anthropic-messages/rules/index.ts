import type { ClaudeRule } from './context.ts';
import { endingRules } from './ending.ts';
import { interleavingRules } from './interleaving.ts';
import { lossRules } from './losses.ts';
import { pairingRules } from './pairing.ts';
import { settingRules } from './settings.ts';
import { shapeRules } from './shape.ts';
import { textRules } from './text.ts';
import { thinkingRules } from './thinking.ts';
import { toolRules } from './tools.ts';

export type { ClaudeRule, RuleContext } from './context.ts';

/**
 * The rulebook of the protocol. Order matters for repairs: rules that drop blocks come before rules that look at what
 * is left.
 */
export const rules: readonly ClaudeRule[] = [
  ...shapeRules,
  ...toolRules,
  ...textRules,
  ...thinkingRules,
  ...pairingRules,
  ...settingRules,
  ...endingRules,
  ...lossRules,
  ...interleavingRules,
];
