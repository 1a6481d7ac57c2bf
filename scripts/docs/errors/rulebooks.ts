import type { Finding } from '@bough/providers';
import {
  CASES as CLAUDE_CASES,
  failingContext as claudeContext,
} from '../../../packages/providers/src/protocols/anthropic-messages/rules/cases.ts';
import { rules as claudeRules } from '../../../packages/providers/src/protocols/anthropic-messages/rules/index.ts';
import {
  CASES as GEMINI_CASES,
  contextFor as geminiContext,
} from '../../../packages/providers/src/protocols/gemini/rules/cases.ts';
import { GEMINI_RULES } from '../../../packages/providers/src/protocols/gemini/rules/index.ts';
import { readRequest } from '../../../packages/providers/src/protocols/gemini/schema.ts';
import { CASES as CHAT_CASES } from '../../../packages/providers/src/protocols/openai-chat/rules/cases/index.ts';
import {
  check as checkChat,
  RULES as CHAT_RULES,
} from '../../../packages/providers/src/protocols/openai-chat/rules/index.ts';
import {
  CASES as RESPONSES_CASES,
  contextOf as responsesContext,
} from '../../../packages/providers/src/protocols/openai-responses/rules/cases.ts';
import { RULES as RESPONSES_RULES } from '../../../packages/providers/src/protocols/openai-responses/rules/index.ts';

/** A message that a rule returned for a body that breaks it. */
export interface RuleMessage {
  readonly rule: string;
  readonly message: string;
  readonly kind: 'rejection' | 'silent';
}

/** The ids of every rule of every protocol. */
export const RULE_IDS: readonly string[] = [claudeRules, RESPONSES_RULES, CHAT_RULES, GEMINI_RULES].flatMap((rules) =>
  rules.map(({ id }) => id),
);

/** What every rule says about the bodies that break it in its own tests. */
export function ruleMessages(): readonly RuleMessage[] {
  return [...claudeMessages(), ...responsesMessages(), ...chatMessages(), ...geminiMessages()];
}

const told = (
  rule: Pick<RuleMessage, 'kind'> & { readonly id: string },
  findings: readonly Finding[],
): readonly RuleMessage[] =>
  findings.map(({ message }) => ({ rule: rule.id, kind: rule.kind, message: message.trim() }));

function claudeMessages(): readonly RuleMessage[] {
  return claudeRules.flatMap((rule) => {
    const example = CLAUDE_CASES[rule.id];
    return example === undefined ? [] : told(rule, rule.check(example.fails, claudeContext(example)));
  });
}

function responsesMessages(): readonly RuleMessage[] {
  return RESPONSES_CASES.flatMap((example) => {
    const rule = RESPONSES_RULES.find(({ id }) => id === example.rule);
    return rule === undefined ? [] : told(rule, rule.check(example.fail, responsesContext(example)));
  });
}

function chatMessages(): readonly RuleMessage[] {
  return CHAT_CASES.flatMap(({ rule, server, model, fails }) => {
    const info = server.modelInfo(model ?? server.defaultModel);
    const findings = checkChat({ model: info.id, ...fails }, info, server).filter((found) => found.rule === rule);
    return findings.flatMap(({ kind, ...found }) => told({ id: rule, kind }, [found]));
  });
}

function geminiMessages(): readonly RuleMessage[] {
  return GEMINI_RULES.flatMap((rule) => {
    const example = GEMINI_CASES[rule.id];
    return example === undefined ? [] : told(rule, rule.check(readRequest(example.bad), geminiContext(example)));
  });
}
