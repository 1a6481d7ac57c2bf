import { isPlainObject } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import { headerContext, rules as claudeRules } from '../protocols/anthropic-messages/rules/index.ts';
import { traitsOf as claudeTraitsOf } from '../protocols/anthropic-messages/traits.ts';
import { GEMINI_RULES } from '../protocols/gemini/rules/index.ts';
import { readRequest } from '../protocols/gemini/schema.ts';
import { traitsOf as geminiTraitsOf } from '../protocols/gemini/traits.ts';
import { quirksOf } from '../protocols/openai-chat/traits.ts';
import { RULES as chatRules } from '../protocols/openai-chat/rules/index.ts';
import { ruleContext, RULES as responsesRules } from '../protocols/openai-responses/rules/index.ts';
import type { PreflightResult, Rule } from '../rulebook/rule.ts';
import { preflight } from '../rulebook/rule.ts';

type Body = Readonly<Record<string, unknown>>;

export interface BodyTarget {
  readonly deployment: Deployment;
  readonly model: string;
  /** The headers of the request itself, if it was made elsewhere: a version counts before the deployment's. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Ids of rules to skip: what the caller knows better. */
  readonly except?: readonly string[];
  /** Which rules to run; absent: all of them. */
  readonly only?: (rule: string) => boolean;
}

/**
 * Preflight for a body that was made elsewhere: runs the rulebook of the deployment's protocol on it and repairs what
 * can be repaired. If nothing was repaired, the same object is returned.
 */
export function preflightBody(body: Body, target: BodyTarget): PreflightResult<Body> {
  const { deployment, model: id, except = [], only = () => true, headers = {} } = target;
  const model = deployment.modelInfo(id);
  const chosen = <B, C>(rules: readonly Rule<B, C>[]): readonly Rule<B, C>[] =>
    rules.filter(({ id: rule }) => only(rule) && !except.includes(rule));
  switch (deployment.protocol) {
    case 'anthropic-messages': {
      const sent = headerContext(deployment.headers, headers);
      const context = { model, traits: claudeTraitsOf(model), ...sent };
      return preflight<Body, typeof context>(chosen(claudeRules), body, context);
    }
    case 'openai-responses':
      return preflight<Body, ReturnType<typeof ruleContext>>(
        chosen(responsesRules),
        body,
        ruleContext(model, deployment),
      );
    case 'openai-chat': {
      const context = { quirks: quirksOf(deployment, model), model };
      return preflight<Body, typeof context>(chosen(chatRules), body, context);
    }
    case 'gemini': {
      const context = { model, traits: geminiTraitsOf(model) };
      const { body: read, violations } = preflight(chosen(GEMINI_RULES), readRequest(body), context);
      const repaired: unknown = read.request;
      return {
        body: violations.some((found) => found.repaired) && isPlainObject(repaired) ? repaired : body,
        violations,
      };
    }
  }
}
