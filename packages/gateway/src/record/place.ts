import type { Branch, Lock, NodeId, Recorded, TreeNode, TurnId } from '@bough/core';
import { isToolUseBlock } from '@bough/core';
import type { Said } from './trail.ts';

/** What a client asks, as far as its place in the tree depends on it. */
export interface Asked {
  readonly said: readonly Said[];
  readonly lock: Lock;
  readonly systemPrompt: string | null;
  /** An agent that asks without tools asks beside its conversation. */
  readonly isBeside: boolean;
}

/** What was read of the tree: the longest stored part of the client's history, and what lies around its end. */
export interface Found {
  readonly matched: TreeNode | null;
  /** The branch that it was made on; null if that is gone. */
  readonly branch: Branch | null;
  /** Where the branch ends elsewhere: the nodes of its last turn. */
  readonly lastTurn: readonly TreeNode[];
  /** The conversation that the session has already, where nothing matches. */
  readonly main: Branch | null;
}

export interface PlannedMessage {
  readonly said: Said;
  readonly toolCallId: string | undefined;
  /** What it is part of: the turn that is recorded, an older one, or none that is known. */
  readonly turn: 'this' | TurnId | null;
}

/** A branch to be made. */
export interface PlannedBranch {
  /** What its name is made from; null: from the client's words. */
  readonly name: string | null;
  readonly forkedFrom: NodeId | null;
  readonly kind: Recorded['kind'];
  readonly beside: NodeId | null;
  readonly because: Recorded['because'];
}

export interface Placing {
  /** The branch that goes on, or the one that begins. */
  readonly branch: Branch | PlannedBranch;
  readonly isNewBranch: boolean;
  readonly parentId: NodeId | null;
  readonly goesOn: { readonly turnId: TurnId; readonly endedAs: 'complete' | 'error' | 'interrupted' } | null;
  readonly messages: readonly PlannedMessage[];
}

/** Where a request belongs. Pure: everything that it depends on was read before. */
export function place(asked: Asked, found: Found): Placing {
  const { matched } = found;
  if (matched === null) return beginning(asked, found.main);
  const at = asked.said.findIndex(({ trail }) => trail === matched.trail);
  const rest = asked.said.slice(at + 1);
  const end = endOf(matched, found);
  const isSame = end !== null && isLockedTo(end.branch, asked.lock);
  return isSame ? goingOn(rest, matched, end) : forking(rest, matched, found, end !== null);
}

/** Where a request goes whose place somebody else took at the same moment: beside it. */
export function placeBeside(asked: Asked, found: Found): Placing {
  const { matched } = found;
  if (matched === null) return place(asked, found);
  const at = asked.said.findIndex(({ trail }) => trail === matched.trail);
  return forking(asked.said.slice(at + 1), matched, found, false);
}

/** A branch that ends with a node, or with nothing but failed attempts to answer it. */
interface End {
  readonly branch: Branch;
  /** How the attempts ended; null: there were none. */
  readonly failed: 'error' | 'interrupted' | null;
}

function endOf(matched: TreeNode, { branch, lastTurn }: Found): End | null {
  if (branch === null) return null;
  if (branch.tipId === matched.id) return { branch, failed: null };
  const byId = new Map(lastTurn.map((node) => [node.id, node]));
  let node = branch.tipId === null ? undefined : byId.get(branch.tipId);
  const failed = node?.isError === true ? 'error' : 'interrupted';
  while (node !== undefined && isFailed(node)) {
    if (node.parentId === matched.id) return { branch, failed };
    node = node.parentId === null ? undefined : byId.get(node.parentId);
  }
  return null;
}

/** A reply without a word is none: a client that asks again asks for the same. */
const isFailed = ({ role, isError, interrupted, contentBlocks }: TreeNode): boolean =>
  role === 'assistant' && (isError || interrupted || contentBlocks.length === 0);

const isLockedTo = ({ envelope }: Branch, { provider, model }: Lock): boolean =>
  envelope.provider === provider && envelope.model === model;

/** What a person said: the results of tools often come with words of the client, and those are not. */
function isOfPerson(message: readonly Said[]): boolean {
  return message.some(({ role }) => role === 'user') && !message.some(({ role }) => role === 'tool');
}

function messagesOf(said: readonly Said[]): readonly (readonly Said[])[] {
  const messages: Said[][] = [];
  for (const part of said) {
    const last = messages.at(-1);
    if (last?.[0]?.message === part.message) last.push(part);
    else messages.push([part]);
  }
  return messages;
}

function goingOn(rest: readonly Said[], matched: TreeNode, { branch, failed }: End): Placing {
  const isNew = messagesOf(rest).some(isOfPerson) || (rest.length === 0 && matched.role === 'assistant');
  const goesOn =
    isNew || matched.turnId === null ? null : { turnId: matched.turnId, endedAs: failed ?? endOfReply(matched) };
  return {
    branch,
    isNewBranch: false,
    parentId: matched.id,
    goesOn,
    messages: goesOn === null ? inTurns(rest, matched) : inThisTurn(rest, matched),
  };
}

const endOfReply = ({ interrupted, isError }: TreeNode): 'complete' | 'error' | 'interrupted' =>
  isError ? 'error' : interrupted ? 'interrupted' : 'complete';

function forking(rest: readonly Said[], matched: TreeNode, found: Found, isOtherModel: boolean): Placing {
  const { branch } = found;
  const forked: PlannedBranch = {
    name: branch === null ? null : `${branch.name} fork`,
    forkedFrom: matched.id,
    kind: branch?.recorded?.kind ?? 'main',
    beside: branch?.recorded?.beside ?? null,
    because: isOtherModel || branch === null ? null : reasonOf(rest, matched, found),
  };
  return { branch: forked, isNewBranch: true, parentId: matched.id, goesOn: null, messages: inTurns(rest, matched) };
}

function reasonOf(rest: readonly Said[], matched: TreeNode, { lastTurn }: Found): Recorded['because'] {
  if (rest.length === 0) return 'regenerated';
  if (tellsOfCompaction(rest)) return 'compacted';
  // What was said last is replaced, or more than that is taken back; or somebody went on here without the client.
  const next = lastTurn.filter(({ parentId }) => parentId === matched.id);
  if (next.length === 0) return 'rewound';
  return next.some(({ trail }) => trail !== undefined) ? 'edited' : null;
}

/** What clients write in front of the summary that takes the place of their history. */
const SUMMARY =
  /continued from a previous conversation|conversation (?:is|was) summarized|summary of (?:the|our|this) (?:conversation|work|session)|<(?:state_snapshot|compact(?:ed|ion)?|conversation_summary|summary)\b|another language model started to solve this problem/i;
/** A summary is told at the beginning of a message, and at the beginning of what is new. */
const READ_CHARACTERS = 2_000;
const READ_MESSAGES = 3;

function tellsOfCompaction(rest: readonly Said[]): boolean {
  const texts = rest
    .filter(({ role }) => role !== 'assistant')
    .slice(0, READ_MESSAGES)
    .flatMap(({ blocks }) => blocks.map((block) => ('text' in block ? String(block['text']) : '')));
  return texts.some((text) => SUMMARY.test(text.slice(0, READ_CHARACTERS)));
}

/** A conversation of its own: the first of its project, or one beside it. */
function beginning({ said, systemPrompt, isBeside }: Asked, main: Branch | null): Placing {
  const isCompacted =
    main !== null && !isBeside && main.envelope.systemPrompt === systemPrompt && tellsOfCompaction(said);
  const kind = isCompacted || (main === null && !isBeside) ? 'main' : 'aside';
  const begun: PlannedBranch = {
    name: isCompacted ? `${main.name} fork` : main === null && kind === 'main' ? FIRST_BRANCH : null,
    forkedFrom: null,
    kind,
    beside: main?.tipId ?? null,
    because: isCompacted ? 'compacted' : null,
  };
  return { branch: begun, isNewBranch: true, parentId: null, goesOn: null, messages: inTurns(said, null) };
}

export const FIRST_BRANCH = 'main';

/** Everything belongs to the turn that goes on. */
function inThisTurn(rest: readonly Said[], matched: TreeNode): readonly PlannedMessage[] {
  const idOf = callIds(matched);
  return rest.map((said) => ({ said, toolCallId: idOf(said), turn: 'this' }));
}

/**
 * The last message of a person begins the turn. What comes before it happened where Bough was not there; only the
 * results of calls that it knows belong to the turn of these calls.
 */
function inTurns(rest: readonly Said[], matched: TreeNode | null): readonly PlannedMessage[] {
  const messages = messagesOf(rest);
  let first = messages.findLastIndex(isOfPerson);
  while (first > 0 && (messages[first - 1] ?? []).every(({ role }) => role === 'user' || role === 'system')) first -= 1;
  const idOf = callIds(matched);
  let isResult = matched?.role === 'assistant';
  return messages.flatMap((message, index) => {
    isResult &&= message.some(({ role }) => role === 'tool');
    const turn = index >= first ? 'this' : isResult ? (matched?.turnId ?? null) : null;
    return message.map((said) => ({ said, toolCallId: idOf(said), turn }));
  });
}

/**
 * Some clients have ids of their own for calls. A result that names none of the calls of the reply before it answers
 * the one at its place.
 */
function callIds(matched: TreeNode | null): (said: Said) => string | undefined {
  const ids = (matched?.contentBlocks ?? []).filter(isToolUseBlock).map(({ id }) => id);
  let count = 0;
  let isOpen = matched?.role === 'assistant';
  return ({ role, toolCallId }) => {
    if (role === 'assistant') isOpen = false;
    if (role !== 'tool') return undefined;
    const given = toolCallId ?? '';
    const own = isOpen && !ids.includes(given) ? ids[count] : undefined;
    count += 1;
    return own ?? (given === '' ? `call_${count}` : given);
  };
}
