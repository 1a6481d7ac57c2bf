import { betaRules } from './betas.ts';
import { cachingRules } from './caching.ts';
import type { ClaudeRule } from './context.ts';
import { endingRules } from './ending.ts';
import { fileRules } from './files.ts';
import { interleavingRules } from './interleaving.ts';
import { lossRules } from './losses.ts';
import { pairingRules } from './pairing.ts';
import { programRules } from './programs.ts';
import { settingRules } from './settings.ts';
import { shapeRules } from './shape.ts';
import { systemRules } from './system.ts';
import { textRules } from './text.ts';
import { thinkingRules } from './thinking.ts';
import { toolChangeRules } from './tool-changes.ts';
import { toolRules } from './tools.ts';
import { versionRules } from './version.ts';
import { webToolRules } from './web-tools.ts';

export type { ClaudeRule, RuleContext } from './context.ts';
export { missingBetas } from './betas.ts';
export { headerContext } from './context.ts';

/**
 * The rulebook of the protocol. Order matters for repairs: rules that drop blocks come before rules that look at what
 * is left.
 */
export const rules: readonly ClaudeRule[] = [
  ...shapeRules,
  ...systemRules,
  ...betaRules,
  ...versionRules,
  ...toolRules,
  ...toolChangeRules,
  ...webToolRules,
  ...fileRules,
  ...textRules,
  ...thinkingRules,
  ...pairingRules,
  ...programRules,
  ...cachingRules,
  ...settingRules,
  ...endingRules,
  ...lossRules,
  ...interleavingRules,
];
