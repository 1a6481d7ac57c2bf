/**
 * The rulebook: what each provider's API requires of a request, as checks on the finished body. Preflight runs them
 * before a request is sent; the simulator runs the same ones and answers with the provider's own text.
 */
export interface Rule<Body, Context> {
  /** Our own id, such as `ANT-PAIR-1`. */
  readonly id: string;
  /** What must hold, in one sentence. */
  readonly title: string;
  /** Where the fact comes from: a documentation page or an issue. */
  readonly reference: string;
  /** `rejection`: the provider answers with an error. `silent`: it answers, and something was lost. */
  readonly kind: 'rejection' | 'silent';
  readonly check: (body: Body, context: Context) => readonly Finding[];
  /**
   * The smallest change that makes the body obey. Absent if no change is safe: then the request is not sent. A repair
   * drops or completes; it never invents thinking.
   */
  readonly repair?: (body: Body, context: Context) => Body;
}

/** Where a rule is broken, and how the provider words it. */
export interface Finding {
  /** A path into the body, such as `messages.3.content.0`. */
  readonly path: string;
  readonly message: string;
  readonly status: number;
  /** The provider's own error code or type where it differs from the default (`unsupported_parameter`, `3280`). */
  readonly errorCode?: string;
}

export interface Violation extends Finding {
  readonly rule: string;
  readonly kind: 'rejection' | 'silent';
  /** Set when a repair was applied. */
  readonly repaired: boolean;
}

/** The first violation that stops a request: the provider would refuse it, and no repair fixed it. */
export function objectionIn(violations: readonly Violation[]): Violation | undefined {
  return violations.find(({ kind, repaired }) => kind === 'rejection' && !repaired);
}

export interface PreflightResult<Body> {
  readonly body: Body;
  readonly violations: readonly Violation[];
}

/** Runs every rule; if one is broken and has a repair, applies it and checks that it worked. */
export function preflight<Body, Context>(
  rules: readonly Rule<Body, Context>[],
  body: Body,
  context: Context,
): PreflightResult<Body> {
  const violations: Violation[] = [];
  let current = body;
  for (const rule of rules) {
    const findings = rule.check(current, context);
    if (findings.length === 0) continue;
    let repaired = false;
    if (rule.repair) {
      const next = rule.repair(current, context);
      repaired = rule.check(next, context).length === 0;
      if (repaired) current = next;
    }
    for (const finding of findings) violations.push({ ...finding, rule: rule.id, kind: rule.kind, repaired });
  }
  return { body: current, violations };
}
