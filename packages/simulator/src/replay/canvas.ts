import type { CanvasBlock, MergeChoice } from '@bough/core';
import {
  appendPassage,
  canvasAt,
  canvasBase,
  canvasTold,
  canvasVersions,
  conflictsIn,
  merge3,
  mergedText,
} from '@bough/core';
import { choose, TEXTS } from './actions.ts';
import type { BranchState, Conversation } from './conversation.ts';
import { BrokenPromise } from './invariants.ts';

/** What a person makes of the document: long enough, now and then, that only what changed is told. */
export function writeCanvas(conversation: Conversation, branch: BranchState, number: number, inContext: boolean): void {
  const before = canvasAt(conversation.path(branch))?.text ?? '';
  const mark = conversation.newMark();
  const [first = '', ...rest] = before.split('\n');
  const texts = [
    '',
    appendPassage(before, `${mark} ${choose(TEXTS, number)}\n`),
    [`${first} ${mark}`, ...rest].join('\n'),
    [first, ...rest.slice(1), mark].join('\n'),
    `${mark}\n${Array.from({ length: number * 6 }, (_, line) => `Line ${line} of the canvas.`).join('\n')}`,
  ];
  store(conversation, branch, { type: 'canvas', text: choose(texts, number), by: 'person', inContext });
}

/** A version of another branch becomes a part of this one's, as the engine merges them. */
export function mergeCanvas(
  conversation: Conversation,
  from: BranchState,
  branch: BranchState,
  choice: MergeChoice,
): void {
  const [own, other] = [conversation.path(branch), conversation.path(from)];
  const [ours, theirs] = [canvasAt(own), canvasAt(other)];
  if (theirs === null || theirs.nodeId === ours?.nodeId) return;
  const parts = merge3(canvasBase(own, other)?.text ?? '', ours?.text ?? '', theirs.text);
  const conflicts = conflictsIn(parts);
  const choices = conflicts.map(() => choice);
  const text = mergedText(parts, choices);
  if (text === null) throw new BrokenPromise('a merge of the canvas stays open', theirs.nodeId);
  if (text === ours?.text) return;
  const { inContext } = ours ?? theirs;
  store(conversation, branch, { type: 'canvas', text, by: 'person', inContext, mergedFrom: theirs.nodeId });
  conversation.done.canvasMerges += 1;
  if (conflicts.length > 0) conversation.done.canvasConflicts += 1;
  checkMerged(conversation, from, branch);
}

/** What a tool returns that wrote a version: as the engine's canvas desk makes it out of the newest one. */
export function versionOfTool(conversation: Conversation, branch: BranchState): CanvasBlock {
  const before = canvasAt(conversation.path(branch));
  const text = appendPassage(before?.text ?? '', `${conversation.newMark()} by a tool`);
  return { type: 'canvas', text, by: 'model', inContext: before?.inContext ?? false };
}

function store(conversation: Conversation, branch: BranchState, block: CanvasBlock): void {
  const told = canvasTold(canvasVersions(conversation.path(branch)), block.text);
  const contentBlocks = [...(block.inContext ? [{ type: 'text', text: told }] : []), block];
  conversation.append(branch, { role: 'user', contentBlocks });
}

/** Merged once more, nothing is new, and nothing is asked. */
function checkMerged(conversation: Conversation, from: BranchState, branch: BranchState): void {
  const [own, other] = [conversation.path(branch), conversation.path(from)];
  const [ours, theirs] = [canvasAt(own)?.text ?? '', canvasAt(other)?.text ?? ''];
  const again = mergedText(merge3(canvasBase(own, other)?.text ?? '', ours, theirs), []);
  if (again !== ours) throw new BrokenPromise('a version of the canvas is merged twice', `${ours}\n---\n${again}`);
}
