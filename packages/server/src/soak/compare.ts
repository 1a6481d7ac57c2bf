import type { NodeView } from '@bough/api';
import { isTextBlock, isThinkingBlock, isToolUseBlock, stableDeepEqual } from '@bough/core';
import type { Conversation } from './conversation.ts';
import type { Finding, FindingKind } from './finding.ts';
import type { Notes, Promised } from './notes.ts';
import type { SeenTurn } from './seen-turn.ts';
import type { Shown, ShownReply } from './shown.ts';
import { shownOf } from './shown.ts';
import type { Stored } from './stored.ts';

type Note = (kind: FindingKind, what: string) => void;

/** Compares everything that was seen in a conversation with what is stored. */
export function compareConversation(
  seen: Pick<Conversation, 'projectId' | 'turns' | 'branches' | 'unanswered'>,
  stored: Stored,
): readonly Finding[] {
  const findings: Finding[] = [];
  const { projectId } = seen;
  for (const turn of seen.turns) {
    const note: Note = (kind, what) => findings.push({ kind, what, projectId, turnId: turn.turnId ?? undefined });
    compareMessage(turn, stored, note);
    for (const problem of turn.problems) note('order', problem);
    if (turn.turnId !== null) compareTurn(turn, turn.turnId, stored, note);
  }
  const note: Note = (kind, what) => findings.push({ kind, what, projectId });
  compareWhole(seen, stored, note);
  return findings;
}

export function compareNotes(
  { conversation, promised, leaves, descriptions }: Notes,
  stored: Stored,
): readonly Finding[] {
  const findings = [...compareConversation(conversation, stored)];
  const note: Note = (kind, what) => findings.push({ kind, what, projectId: conversation.projectId });
  for (const write of [...promised, ...leaves]) comparePlace(write, stored, note);
  if (!descriptions.includes(stored.description ?? ''))
    note('write', `the description is "${stored.description}" instead of one of "${descriptions.join('", "')}"`);
  return findings;
}

/** What was promised is in exactly one place, and in the right one if a deletion or its undoing was confirmed. */
function comparePlace(write: Promised, { nodes, branches, trash }: Stored, note: Note): void {
  const { place } = write;
  const isMessage = write.type === 'message';
  const what = isMessage ? write.content : write.name;
  const isHere = isMessage
    ? nodes.get(write.nodeId)?.content === what
    : branches.some(({ id, name }) => id === write.branchId && name === what);
  const entries = trash.filter(({ title }) => title === what);
  const kind = isMessage ? 'message' : 'write';
  if (!isHere && entries.length === 0) note(kind, `"${what}" is gone`);
  else if (entries.length + Number(isHere) > 1) note('doubled', `"${what}" is there and in the trash`);
  else if (place === 'here' && !isHere) note(kind, `"${what}" is in the trash and nobody deleted it`);
  else if (typeof place === 'object' && !entries.some(({ id }) => id === place.trashId))
    note(kind, `"${what}" was deleted and is not in the trash`);
}

function compareMessage({ request, acknowledged }: SeenTurn, { nodes }: Stored, note: Note): void {
  const { message } = request;
  if (message === null) return;
  const found = [...nodes.values()].filter(({ role, content }) => role === 'user' && content === message);
  if (found.length === 0 && acknowledged) note('message', `"${message}" is gone`);
  if (found.length > 1) note('doubled', `"${message}" is there ${found.length} times`);
}

function compareTurn(turn: SeenTurn, turnId: string, stored: Stored, note: Note): void {
  const shown = shownOf(turn.lines);
  const nodes = [...stored.nodes.values()].filter((node) => node.turnId === turnId);
  for (const reply of shown.replies) compareReply(turn, reply, stored, note);
  compareResults(shown, nodes, stored, note);
  for (const message of shown.errors)
    if (!nodes.some(({ isError, role, content }) => isError && role === 'assistant' && content === message))
      note('report', `the error "${message}" was shown and is not stored`);
  compareUsage(shown, stored, note);
  compareEnd(turn, shown, turnId, stored, note);
  const parents = nodes.map(({ parentId }) => parentId);
  if (new Set(parents).size < parents.length) note('doubled', 'two parts of the turn stand side by side');
}

function compareReply({ connections, done }: SeenTurn, reply: ShownReply, { nodes }: Stored, note: Note): void {
  const { nodeId, text, thinking, toolCalls } = reply;
  const node = nodes.get(nodeId);
  if (node === undefined) {
    if (text !== '' || thinking !== '' || toolCalls.length > 0)
      note('reply', `reply ${nodeId} is gone: ${thinking.length} characters of thinking, ${text.length} of text`);
    return;
  }
  const isWhole = connections === 1 && done?.status === 'complete';
  const fits = (kind: string, seen: string, kept: string): void => {
    const lengths = `${kind} of ${nodeId}: ${seen.length} characters were shown, ${kept.length} are stored`;
    if (!kept.startsWith(seen)) note('reply', lengths);
    // A connection that was never cut shows all of a completed turn.
    else if (isWhole && seen !== kept) note('order', lengths);
  };
  fits(
    'thinking',
    thinking,
    node.contentBlocks.map((block) => (isThinkingBlock(block) ? block.thinking : '')).join(''),
  );
  fits('text', text, node.contentBlocks.map((block) => (isTextBlock(block) ? block.text : '')).join(''));
  const kept = new Set(node.contentBlocks.filter(isToolUseBlock).map(({ id }) => id));
  for (const id of toolCalls) if (!kept.has(id)) note('reply', `the tool call ${id} was shown and is not stored`);
}

function compareResults({ results }: Shown, nodes: readonly NodeView[], stored: Stored, note: Note): void {
  for (const { toolCallId, content, isError } of results) {
    const kept = nodes.filter((node) => node.role === 'tool' && node.toolCallId === toolCallId);
    const [first] = kept;
    if (first === undefined || first.content !== content || first.isError !== isError)
      note('tool_result', `"${content}" of ${toolCallId} was shown; stored is ${JSON.stringify(first?.content)}`);
    else if (!standsBelowItsCall(first, stored))
      note('tool_result', `"${content}" of ${toolCallId} does not stand below its call`);
  }
  const ids = nodes.flatMap(({ role, toolCallId }) => (role === 'tool' && toolCallId !== null ? [toolCallId] : []));
  for (const id of new Set(ids)) {
    const count = ids.filter((other) => other === id).length;
    if (count > 1) note('doubled', `the result of ${id} is there ${count} times`);
  }
}

function standsBelowItsCall(result: NodeView, { nodes }: Stored): boolean {
  for (let above = nodes.get(result.parentId ?? ''); above !== undefined; above = nodes.get(above.parentId ?? '')) {
    if (above.role !== 'tool')
      return above.contentBlocks.filter(isToolUseBlock).some(({ id }) => id === result.toolCallId);
  }
  return false;
}

function compareUsage({ replies }: Shown, { calls, onBranch }: Stored, note: Note): void {
  for (const { nodeId, usages } of replies)
    for (const usage of usages)
      if (onBranch.has(nodeId) && !stableDeepEqual(calls.get(nodeId)?.usage, usage))
        note('report', `the usage of ${nodeId} was shown and is not stored`);
}

function compareEnd(turn: SeenTurn, { done }: Shown, turnId: string, stored: Stored, note: Note): void {
  const status = stored.statuses.get(turnId);
  if (done === null) return;
  if (status !== undefined && status !== done.status) note('report', `ended as ${done.status}, stored as ${status}`);
  for (const id of done.nodeIds)
    if (!stored.nodes.has(id)) note('report', `the end named the node ${id}, which is not there`);
  if (done.status === 'interrupted' && !turn.mayBreakOff)
    note('broken_off', 'was interrupted although nobody asked for it and its server lived');
}

/** Nothing is stored that nobody asked for. */
function compareWhole(
  seen: Pick<Conversation, 'turns' | 'branches' | 'unanswered'>,
  { nodes, branches }: Stored,
  note: Note,
): void {
  const strangers = branches.filter(({ name }) => !seen.branches.has(name));
  if (strangers.length > seen.unanswered)
    note('doubled', `nobody was told of the branches "${strangers.map(({ name }) => name).join('", "')}"`);
  const known = new Set(seen.turns.map(({ turnId }) => turnId));
  const turns = new Set([...nodes.values()].flatMap(({ turnId }) => (turnId === null ? [] : [turnId])));
  const unknown = [...turns].filter((id) => !known.has(id));
  const untold = seen.turns.filter(({ turnId }) => turnId === null).length + seen.unanswered;
  if (unknown.length > untold) note('doubled', `nobody asked for the turns ${unknown.join(', ')}`);
}
