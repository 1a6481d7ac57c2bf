import type { Issuer, RawResponse } from '@bough/core';
import type { Quirks } from '../traits.ts';

/** What a message is rendered for. */
export interface Target {
  readonly quirks: Quirks;
  readonly issuer: Issuer;
  /** Whether the model will think on this request. */
  readonly thinking: boolean;
  readonly hasTools: boolean;
}

/** Reasoning is sent back only to the issuer that produced it. */
export function isIssuer(raw: RawResponse, issuer: Issuer): boolean {
  return raw.provider === issuer.provider && raw.deployment === issuer.deployment && raw.model === issuer.model;
}

/** Whether an assistant message must carry reasoning. */
export function demandsReasoning(target: Pick<Target, 'quirks' | 'thinking' | 'hasTools'>, hasCalls: boolean): boolean {
  if (!target.thinking) return false;
  switch (target.quirks.demands) {
    case 'never':
      return false;
    case 'tool_calls':
      return hasCalls;
    case 'with_tools':
      return target.hasTools;
    case 'always':
      return true;
  }
}
