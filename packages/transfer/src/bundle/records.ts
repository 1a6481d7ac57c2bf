import type {
  Annotation,
  Branch,
  BranchId,
  Call,
  CallId,
  ContentBlock,
  Envelope,
  MadeWith,
  NodeId,
  Project,
  ProjectId,
  RawPayload,
  RawResponse,
  Rendering,
  ThinkingSetting,
  TreeNode,
  Turn,
  TurnId,
} from '@bough/core';
import {
  ANNOTATION_KINDS,
  CALL_PURPOSES,
  FILES_OTHERWISE,
  isCallUsage,
  isChoices,
  isCompacting,
  isSummaries,
  isExchange,
  isPlainObject,
  isProviderTool,
  isRecorded,
  VERDICTS,
} from '@bough/core';
import type { ForeignDocument } from '@bough/store';
import { MalformedError } from '../import/fields.ts';

// A bundle may have been written by anybody. What is stored has the form of the store's own records; anything else is
// refused here, with its place, before it can do harm there.

type Check<Value> = (value: unknown) => value is Value;
/** A check for every field: a field added to a record but not checked here does not compile. */
type Shape<Value> = { readonly [Field in keyof Value]-?: Check<Value[Field]> };
/** Which project a record belongs to is checked where the project is known. */
type OwnedShape<Value> = Shape<Omit<Value, 'projectId'>>;

const text: Check<string> = (value) => typeof value === 'string';
const flag: Check<boolean> = (value) => typeof value === 'boolean';
const number: Check<number> = (value) => typeof value === 'number';
const orNull =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value) =>
    value === null || check(value);
const orAbsent =
  <Value>(check: Check<Value>): Check<Value | undefined> =>
  (value): value is Value | undefined =>
    value === undefined || check(value);
const oneOf = <const Choice extends string>(...choices: readonly Choice[]): Check<Choice> => {
  const known: ReadonlySet<unknown> = new Set(choices);
  return (value): value is Choice => known.has(value);
};
const listOf =
  <Value>(check: Check<Value>): Check<readonly Value[]> =>
  (value): value is readonly Value[] =>
    Array.isArray(value) && value.every(check);
const like =
  <Value>(shape: Shape<Value>): Check<Value> =>
  (value): value is Value =>
    isPlainObject(value) && wrongField(value, shape) === undefined;
/** Every field may be missing. */
const partly =
  <Value>(shape: Shape<Value>): Check<Partial<Value>> =>
  (value): value is Partial<Value> =>
    isPlainObject(value) &&
    Object.entries<Check<unknown>>(shape).every(([field, check]) => value[field] === undefined || check(value[field]));

/** Any text may be an id: ids made elsewhere are just as good. */
const ids = {
  project: (value: unknown): value is ProjectId => text(value),
  branch: (value: unknown): value is BranchId => text(value),
  turn: (value: unknown): value is TurnId => text(value),
  node: (value: unknown): value is NodeId => text(value),
  call: (value: unknown): value is CallId => text(value),
};
const level = oneOf('off', 'low', 'medium', 'high');
const budget = like<Exclude<ThinkingSetting, string>>({ budgetTokens: number });
const thinkingSetting: Check<ThinkingSetting> = (value): value is ThinkingSetting => level(value) || budget(value);
/** A block of an unknown type is kept as it is, and not shown. */
const block: Check<ContentBlock> = (value): value is ContentBlock => isPlainObject(value) && text(value['type']);

const ENVELOPE: Shape<Envelope> = {
  provider: text,
  model: text,
  systemPrompt: orNull(text),
  tools: listOf(text),
  thinking: thinkingSetting,
  maxTokens: orAbsent(number),
  failEarly: orAbsent(flag),
  filesOtherwise: orAbsent(oneOf(...FILES_OTHERWISE)),
  providerTools: orAbsent(listOf(isProviderTool)),
  allowedTools: orAbsent(listOf(text)),
  choices: orAbsent(isChoices),
  summaries: orAbsent(isSummaries),
  compacting: orAbsent(isCompacting),
};
const PROJECT: Shape<Project> = {
  id: ids.project,
  name: text,
  description: orNull(text),
  systemPrompt: orNull(text),
  defaults: partly(ENVELOPE),
  archived: flag,
  pinned: orAbsent((value): value is true => value === true),
  folder: orAbsent(text),
  createdAt: text,
};
const BRANCH: OwnedShape<Branch> = {
  id: ids.branch,
  name: text,
  tipId: orNull(ids.node),
  forkedFromId: orNull(ids.node),
  envelope: like(ENVELOPE),
  replayBy: oneOf('issuer', 'break'),
  keepToolsAfterBreak: flag,
  pinned: flag,
  hidden: flag,
  color: orNull(text),
  recorded: orAbsent(isRecorded),
  createdAt: text,
};
const TURN: OwnedShape<Turn> = {
  id: ids.turn,
  branchId: orNull(ids.branch),
  isThinkingMode: flag,
  status: oneOf('running', 'awaiting_approval', 'complete', 'error', 'interrupted'),
  createdAt: text,
};
const NODE: OwnedShape<TreeNode> = {
  id: ids.node,
  parentId: orNull(ids.node),
  turnId: orNull(ids.turn),
  createdOnBranch: orNull(ids.branch),
  role: oneOf('system', 'user', 'assistant', 'tool'),
  contentBlocks: listOf(block),
  content: text,
  provider: orNull(text),
  modelUsed: orNull(text),
  toolCallId: orNull(text),
  toolMs: orAbsent(number),
  trail: orAbsent(text),
  thinking: orNull(like({ availability: oneOf('none', 'summary', 'full', 'redacted', 'partial'), truncated: flag })),
  madeWith: orNull(like<MadeWith>({ prefix: text, previousThinking: orNull(ids.node) })),
  isError: flag,
  interrupted: flag,
  includeThinkingInContext: flag,
  matchKey: text,
  createdAt: text,
};
const CALL: OwnedShape<Call> = {
  id: ids.call,
  turnId: ids.turn,
  nodeId: orNull(ids.node),
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
  usage: orNull(isCallUsage),
  cost: orNull(number),
  errorCode: orNull(text),
  purpose: orAbsent(oneOf(...CALL_PURPOSES)),
  exchange: orAbsent(isExchange),
};
const FOREIGN: OwnedShape<ForeignDocument> = {
  name: text,
  holds: (value): value is Record<string, number> => isPlainObject(value) && Object.values(value).every(number),
  value: (value): value is unknown => value !== undefined,
};
const RENDERING: Shape<Rendering> = { nodeId: ids.node, key: text, bytes: text };
const RAW: Shape<RawResponse> = {
  provider: text,
  deployment: text,
  model: text,
  api: oneOf('anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'),
  version: (value): value is 1 => value === 1,
  capturedAt: text,
  complete: flag,
  payload: (value): value is RawPayload => Array.isArray(value) || isPlainObject(value),
};

const ANNOTATION: OwnedShape<Annotation> = {
  nodeId: ids.node,
  kind: oneOf(...ANNOTATION_KINDS),
  name: text,
  text,
  changedAt: text,
  verdict: orAbsent(oneOf(...VERDICTS)),
  blind: orAbsent((value): value is true => value === true),
};

interface CallLine {
  readonly call: Call;
  /** The hash that names the raw response. */
  readonly raw: string | null;
}

export const projectIn = (value: unknown, where: string): Project => checked(value, PROJECT, where);

/** The records of one project. A record that names another project would be stored there. */
export function recordsOf(project: Project) {
  const projectId: Check<ProjectId> = (value): value is ProjectId => value === project.id;
  const callLine: Shape<CallLine> = { call: like<Call>({ ...CALL, projectId }), raw: orNull(text) };
  return {
    branch: (value: unknown, where: string) =>
      // Bundles from before there was a choice name none.
      checked<Branch>(isPlainObject(value) ? { replayBy: 'issuer', ...value } : value, { ...BRANCH, projectId }, where),
    turn: (value: unknown, where: string) => checked<Turn>(value, { ...TURN, projectId }, where),
    node: (value: unknown, where: string) => checked<TreeNode>(value, { ...NODE, projectId }, where),
    call: (value: unknown, where: string) => checked(value, callLine, where),
    foreign: (value: unknown, where: string) => checked<ForeignDocument>(value, { ...FOREIGN, projectId }, where),
    rendering: (value: unknown, where: string) => checked(value, RENDERING, where),
    annotation: (value: unknown, where: string) => checked<Annotation>(value, { ...ANNOTATION, projectId }, where),
  };
}

export const rawIn = (value: unknown, where: string): RawResponse => checked(value, RAW, where);

function checked<Value>(value: unknown, shape: Shape<Value>, where: string): Value {
  const isWhole = like(shape);
  if (isWhole(value)) return value;
  const field = isPlainObject(value) ? wrongField(value, shape) : undefined;
  throw new MalformedError(
    field === undefined
      ? `${where}: This is no record of a bundle.`
      : `${where}: "${field}" is not what a bundle holds there.`,
  );
}

/** The first field that is not what it should be. */
function wrongField(
  value: Readonly<Record<string, unknown>>,
  shape: Readonly<Record<string, Check<unknown>>>,
): string | undefined {
  return Object.entries(shape).find(([field, check]) => !check(value[field]))?.[0];
}
