import type { ApprovalPolicy } from './tool.ts';

/** Patterns of tool names and their policies, as in the configuration: `{ "files.*": "ask", "calculator": "auto" }`. */
export type ApprovalRules = Readonly<Record<string, ApprovalPolicy>>;

/**
 * The policy of a tool: an exact name first, then the longest matching pattern. Without a rule, built-in tools run by
 * themselves, because they cannot change anything; tools of a server, and those of the canvas, need a person's
 * approval.
 */
export function approvalFor(names: readonly string[], isHarmless: boolean, rules: ApprovalRules): ApprovalPolicy {
  const pattern = approvalRuleOf(names, rules);
  return (pattern === null ? undefined : rules[pattern]) ?? (isHarmless ? 'auto' : 'ask');
}

/** The rule that decides about a tool with these names; null if none does. */
export function approvalRuleOf(names: readonly string[], rules: ApprovalRules): string | null {
  const exact = names.find((name) => Object.hasOwn(rules, name));
  if (exact !== undefined) return exact;
  const [pattern] = Object.keys(rules)
    .filter((rule) => rule.endsWith('*') && names.some((name) => name.startsWith(rule.slice(0, -1))))
    .sort((a, b) => b.length - a.length);
  return pattern ?? null;
}
