import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@bough/api';
import { ApiError } from '@bough/api';
import type { Conversation } from './conversation.ts';
import { openConversation, say } from './conversation.ts';
import { noteRefusal } from './follow.ts';
import type { Random } from './random.ts';
import type { Stage } from './stage.ts';

/** A write that was answered with 2xx: it must exist from then on, in its place or in the trash. */
export type Promised = { place: Place } & (
  | { readonly type: 'message'; readonly nodeId: string; readonly content: string }
  | { readonly type: 'branch'; readonly branchId: string; readonly name: string }
);

/** `unsure`: a deletion or its undoing was not answered, so that it is either here or in the trash. */
export type Place = 'here' | 'unsure' | { readonly trashId: string };

/**
 * Somebody who writes without calling a model: messages, branches, descriptions, deletions and their undoing, as fast
 * as they are accepted.
 */
export interface Notes {
  readonly conversation: Conversation;
  readonly promised: Promised[];
  /** Promised as well. Nothing stands on these: deleting one takes nothing else along. */
  readonly leaves: Promised[];
  /** The descriptions that the project may have now: the last one confirmed, and those tried since. */
  descriptions: string[];
}

export async function openNotes(stage: Stage, random: Random): Promise<Notes | null> {
  const conversation = await openConversation(stage, random);
  if (conversation === null) return null;
  await say(stage, conversation, '/sim say ready');
  return { conversation, promised: [], leaves: [], descriptions: [''] };
}

export async function writeNotes(stage: Stage, notes: Notes): Promise<void> {
  const { conversation } = notes;
  const { projectId, random, turns } = conversation;
  const root = turns[0]?.lines.find((line) => line.type === 'turn')?.userNodeId ?? null;
  if (root === null) return;
  let tip: string | null = null;
  for (let count = 1; !stage.closing && !stage.over.signal.aborted; count += 1) {
    const member = await stage.lane.someone(random, stage.over.signal);
    if (member === null) return;
    const { client } = member;
    const mark = `Note ${count} of ${projectId}`;
    const kind = random.below(12);
    try {
      if (kind < 6) {
        tip ??= (await client.listBranches(projectId)).branches.find(({ name }) => name === 'main')?.tipId ?? root;
        const body = { messages: [{ role: 'user' as const, content: mark }], ref: 'main' };
        const { tipId } = await client.appendMessages(tip, body);
        if (tipId !== null) notes.promised.push({ type: 'message', nodeId: tipId, content: mark, place: 'here' });
        tip = tipId;
      } else if (kind < 7) {
        const { node } = await client.editContent(root, mark);
        notes.leaves.push({ type: 'message', nodeId: node.id, content: mark, place: 'here' });
      } else if (kind < 8) {
        conversation.unanswered += 1;
        const { branch } = await client.createBranch(projectId, { name: mark, fromNodeId: root, fromRef: 'main' });
        conversation.unanswered -= 1;
        conversation.branches.add(mark);
        notes.leaves.push({ type: 'branch', branchId: branch.id, name: mark, place: 'here' });
      } else if (kind < 10) {
        await deleteOrRestore(client, notes);
      } else {
        notes.descriptions.push(mark);
        await client.updateProject(projectId, { description: mark });
        notes.descriptions = [mark];
      }
    } catch (error) {
      noteRefusal(stage, error);
      // It may have been stored or not: the branch's tip is read again.
      tip = null;
      if (error instanceof ApiError && error.status === 404) return;
    }
    await sleep(random.below(8));
  }
}

/** Moves one of them into the trash, or back out of it. */
async function deleteOrRestore(client: Client, { conversation, leaves }: Notes): Promise<void> {
  const { projectId, random } = conversation;
  const sure = leaves.filter(({ place }) => place !== 'unsure');
  if (sure.length === 0) return;
  const leaf = random.pick(sure);
  const { place } = leaf;
  leaf.place = 'unsure';
  if (typeof place === 'object') {
    await client.restoreTrash(place.trashId);
    leaf.place = 'here';
  } else {
    const { trashId } =
      leaf.type === 'message'
        ? await client.deleteNode(projectId, leaf.nodeId, 'cascade')
        : await client.deleteBranch(projectId, leaf.name);
    leaf.place = { trashId };
  }
}
