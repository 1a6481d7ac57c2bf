import type { Branch, Call, Project, RawResponse, Rendering, TreeNode, Turn } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { MalformedError } from '../import/fields.ts';

// A bundle may have been written by anybody. What goes into the store has the form that the store's own records have; anything
// else is refused here, with its place, before it can do harm there.

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const number: Check = (value) => typeof value === 'number';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const oneOf =
  (...allowed: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && allowed.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const like =
  (shape: Shape): Check =>
  (value) =>
    isPlainObject(value) && Object.entries(shape).every(([field, check]) => check(value[field]));
/** Every field may be missing. */
const partly =
  (shape: Shape): Check =>
  (value) =>
    isPlainObject(value) &&
    Object.entries(shape).every(([field, check]) => value[field] === undefined || check(value[field]));

const thinkingSetting: Check = (value) =>
  oneOf('off', 'low', 'medium', 'high')(value) || like({ budgetTokens: number })(value);
const ENVELOPE: Shape = {
  provider: text,
  model: text,
  systemPrompt: orNull(text),
  tools: listOf(text),
  thinking: thinkingSetting,
};
const PROJECT: Shape = {
  id: text,
  name: text,
  description: orNull(text),
  systemPrompt: orNull(text),
  defaults: partly(ENVELOPE),
  archived: flag,
  createdAt: text,
};
const BRANCH: Shape = {
  id: text,
  name: text,
  tipId: orNull(text),
  forkedFromId: orNull(text),
  envelope: like(ENVELOPE),
  previousResponseId: orNull(text),
  keepToolsAfterBreak: flag,
  pinned: flag,
  hidden: flag,
  color: orNull(text),
  createdAt: text,
};
const TURN: Shape = {
  id: text,
  branchId: orNull(text),
  isThinkingMode: flag,
  status: oneOf('running', 'awaiting_approval', 'complete', 'error', 'interrupted'),
  createdAt: text,
};
const NODE: Shape = {
  id: text,
  parentId: orNull(text),
  turnId: orNull(text),
  createdOnBranch: orNull(text),
  role: oneOf('system', 'user', 'assistant', 'tool'),
  contentBlocks: listOf(like({ type: text })),
  content: text,
  provider: orNull(text),
  modelUsed: orNull(text),
  toolCallId: orNull(text),
  thinking: orNull(like({ availability: oneOf('none', 'summary', 'full', 'redacted', 'partial'), truncated: flag })),
  madeWith: orNull(like({ prefix: text, previousThinking: orNull(text) })),
  isError: flag,
  interrupted: flag,
  includeThinkingInContext: flag,
  matchKey: text,
  createdAt: text,
};
const CALL: Shape = {
  id: text,
  turnId: text,
  nodeId: orNull(text),
  provider: text,
  deployment: text,
  model: text,
  status: oneOf('running', 'complete', 'error', 'interrupted'),
  requestHash: text,
  providerRequestId: orNull(text),
  responseId: orNull(text),
  startedAt: text,
  firstByteAt: orNull(text),
  endedAt: orNull(text),
  usage: orNull((value) => isPlainObject(value) && Object.values(value).every(number)),
  cost: orNull(number),
  errorCode: orNull(text),
};
const RENDERING: Shape = { nodeId: text, key: text, bytes: text };
const RAW: Shape = {
  provider: text,
  deployment: text,
  model: text,
  api: oneOf('anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'),
  version: (value) => value === 1,
  capturedAt: text,
  complete: flag,
  payload: (value) => Array.isArray(value) || isPlainObject(value),
};

// The casts below stand behind a check of every field.

interface CallLine {
  readonly call: Call;
  /** The hash that names the raw response. */
  readonly raw: string | null;
}

export function projectIn(value: unknown, where: string): Project {
  return checked(value, PROJECT, where) as unknown as Project;
}

/** The records of one project. One that names another project would be stored there. */
export function recordsOf(project: Project) {
  const own = (value: unknown): boolean => value === project.id;
  return {
    branch: (value: unknown, where: string) =>
      checked(value, { ...BRANCH, projectId: own }, where) as unknown as Branch,
    turn: (value: unknown, where: string) => checked(value, { ...TURN, projectId: own }, where) as unknown as Turn,
    node: (value: unknown, where: string) => checked(value, { ...NODE, projectId: own }, where) as unknown as TreeNode,
    call: (value: unknown, where: string) =>
      checked(value, { call: like({ ...CALL, projectId: own }), raw: orNull(text) }, where) as unknown as CallLine,
    rendering: (value: unknown, where: string) => checked(value, RENDERING, where) as unknown as Rendering,
  };
}

export const rawIn = (value: unknown, where: string): RawResponse =>
  checked(value, RAW, where) as unknown as RawResponse;

function checked(value: unknown, shape: Shape, where: string): Readonly<Record<string, unknown>> {
  if (!isPlainObject(value)) throw new MalformedError(`${where}: This is no record of a bundle.`);
  for (const [field, check] of Object.entries(shape)) {
    if (!check(value[field])) throw new MalformedError(`${where}: "${field}" is not what a bundle holds there.`);
  }
  return value;
}
