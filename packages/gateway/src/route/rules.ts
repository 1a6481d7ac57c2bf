import type { ThinkingSetting } from '@bough/core';

/** Sends what clients ask of one provider's model to another provider. */
export interface RouteRule {
  /** The provider that the client calls. */
  readonly from: string;
  /** Which of its models: `*` stands for any characters, everything else for itself. */
  readonly model: string;
  readonly to: { readonly provider: string; readonly model: string; readonly thinking?: ThinkingSetting | undefined };
}

/** The first rule that fits; null if none does. */
export function findRoute(rules: readonly RouteRule[], from: string, model: string): RouteRule | null {
  return rules.find((rule) => rule.from === from && fits(rule.model, model)) ?? null;
}

/** Compared piece by piece: a regular expression from a configuration could take for ever. */
function fits(pattern: string, model: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === model;
  if (!model.startsWith(first)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = model.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return model.length - last.length >= at && model.endsWith(last);
}
