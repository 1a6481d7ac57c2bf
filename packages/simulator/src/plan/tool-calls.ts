import { isPlainObject } from '@bough/core';
import type { Script } from '../commands/index.ts';
import { withoutCommands } from '../commands/index.ts';
import type { Prompt, ReplyPart } from '../reply.ts';
import type { Style } from './styles.ts';
import { sampleOf } from './sample.ts';
import { styleOf } from './styles.ts';

type ToolCall = Extract<ReplyPart, { type: 'tool_call' }>;

/** The calls of this step; none when it is time to answer. */
export function planCalls(prompt: Prompt, script: Script, style: Style): readonly ToolCall[] {
  if (!prompt.toolsAllowed || prompt.toolNames.length === 0) return [];
  const wish = wishOf(prompt, script, style);
  if (wish === null) return [];
  const made = prompt.toolResults.length;
  if (made >= wish.parallel * wish.steps) return [];
  return Array.from({ length: wish.parallel }, (_, offset) => {
    const name = wish.names[(made + offset) % wish.names.length] ?? '';
    return { type: 'tool_call', name, parameters: parametersFor(name, prompt, made + offset) };
  });
}

/** Which call of its turn a request is: 1 before any tool result, 2 after the first round of them. */
export function callNumberOf(prompt: Prompt, script: Script): number {
  const wish = wishOf(prompt, script, styleOf(prompt.model));
  return 1 + Math.floor(prompt.toolResults.length / (wish?.parallel ?? 1));
}

/** Tools that a message asked for by name but the request does not offer. */
export function missingTools(prompt: Prompt, script: Script): readonly string[] {
  return (script.tools?.names ?? []).filter((name) => !prompt.toolNames.includes(name));
}

interface Wish {
  readonly names: readonly string[];
  readonly parallel: number;
  readonly steps: number;
}

function wishOf(prompt: Prompt, script: Script, style: Style): Wish | null {
  const wish = freeWish(prompt, script, style) ?? forcedWish(prompt);
  // One at a time, the same calls take more steps.
  return wish === null || prompt.parallelCalls !== false
    ? wish
    : { ...wish, parallel: 1, steps: wish.steps * wish.parallel };
}

/** Only the first request of a turn can be forced: a client that forces every one would never get an answer. */
function forcedWish({ forcedTools = [], toolNames }: Prompt): Wish | null {
  const names = forcedTools.filter((name) => toolNames.includes(name));
  return names.length === 0 ? null : { names, parallel: 1, steps: 1 };
}

function freeWish(prompt: Prompt, script: Script, style: Style): Wish | null {
  if (script.tools) {
    const offered = script.tools.names.filter((name) => prompt.toolNames.includes(name));
    const names = script.tools.names.length === 0 ? prompt.toolNames : offered;
    return names.length === 0 ? null : { ...script.tools, names };
  }
  if (style.toolSteps > 0) {
    return { names: prompt.toolNames, parallel: style.toolsPerStep, steps: style.toolSteps };
  }
  const useful = prompt.toolNames.find((name) => answersWith(name, withoutCommands(prompt.userText)));
  return useful === undefined ? null : { names: [useful], parallel: 1, steps: 1 };
}

const CALCULATOR = /calc|math|arith/i;
const CLOCK = /time|clock|date/i;
const SUM = /\d[\d\s.]*(?:[-+*/×÷^%]\s*[\d.(][\d\s.()]*)+/;

/** Whether this tool is what a person would reach for here. */
function answersWith(name: string, text: string): boolean {
  if (CALCULATOR.test(name)) return SUM.test(text);
  if (CLOCK.test(name)) return /\b(?:what time|what day|date|today|clock|time is it)\b/i.test(text);
  return false;
}

const EXPRESSIONS = ['17 * 23', '2 ** 10', '(3 + 4) * 5', '144 / 12', '365 * 24'];
const TIME_ZONES = ['UTC', 'Europe/Berlin', 'Asia/Tokyo', 'America/New_York'];

function parametersFor(name: string, prompt: Prompt, number: number): Readonly<Record<string, unknown>> {
  const schema = prompt.tools?.find((tool) => tool.name === name)?.inputSchema;
  const text = withoutCommands(prompt.userText);
  if (CALCULATOR.test(name)) {
    const sum = SUM.exec(text)?.[0].trim().replaceAll('×', '*').replaceAll('÷', '/');
    const expression = (number === 0 ? sum : undefined) ?? EXPRESSIONS[number % EXPRESSIONS.length] ?? '1 + 1';
    return withProperty(schema, /expr|formula|input|query/i, 'expression', expression);
  }
  if (CLOCK.test(name)) {
    return withProperty(schema, /zone|tz/i, 'timezone', TIME_ZONES[number % TIME_ZONES.length] ?? 'UTC');
  }
  const sample = schema === undefined ? {} : sampleOf(schema, text, number);
  return isPlainObject(sample) ? sample : {};
}

/** Puts a value under the schema's property for it; a schema without one gets what it requires and no more. */
function withProperty(
  schema: Readonly<Record<string, unknown>> | undefined,
  pattern: RegExp,
  fallback: string,
  value: string,
): Readonly<Record<string, unknown>> {
  if (schema === undefined) return { [fallback]: value };
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const key = Object.keys(properties).find((candidate) => pattern.test(candidate));
  const sample = sampleOf(schema, value, 0);
  return { ...(isPlainObject(sample) ? sample : {}), ...(key === undefined ? {} : { [key]: value }) };
}
