import { createHash } from 'node:crypto';
import type { ContentBlock, MadeFile, RawResponse, TreeNode } from '@bough/core';
import {
  capThinking,
  deriveTextFromBlocks,
  emptied,
  InvalidMessageError,
  isAttachedBlock,
  isThinkingBlock,
  matchKeyOf,
  messageOfNode,
  stableDeepEqual,
} from '@bough/core';
import type { Finding } from '../finding.ts';

/** Checks that the derived fields match what the blocks give today. */
export function checkDerived(node: TreeNode): readonly Finding[] {
  const content = deriveTextFromBlocks(node.contentBlocks);
  const matchKey = matchKeyNow(node);
  const about = {
    severity: 'error',
    projectId: node.projectId,
    subject: `node ${node.id}`,
    repair: { type: 'rederive', projectId: node.projectId, node: { id: node.id, content, matchKey } },
  } as const;
  const findings: Finding[] = [];
  if (node.content !== content) {
    const message = 'Its text is not the text of its blocks: search finds what is not there.';
    findings.push({ ...about, code: 'content_differs', message });
  }
  if (node.matchKey !== matchKey) {
    const message = 'Its match key is not the one of its message: an appended history does not find it.';
    findings.push({ ...about, code: 'match_key_differs', message });
  }
  return findings;
}

/** A reply without a valid message is never matched, so any key will do. */
function matchKeyNow(node: TreeNode): string {
  try {
    return matchKeyOf(node.parentId, messageOfNode(node));
  } catch (error) {
    if (error instanceof InvalidMessageError) return node.matchKey;
    throw error;
  }
}

/** Canonical blocks are a function of raw, which must still give the same. */
export function checkAgainstRaw(
  node: TreeNode,
  raw: RawResponse,
  blocksOfRaw: (raw: RawResponse) => readonly ContentBlock[],
  isForeign = false,
): readonly Finding[] {
  // The text of an error is Bough's own; raw holds what the provider said.
  if (node.isError) return [];
  const about = { projectId: node.projectId, subject: `node ${node.id}`, repair: null } as const;
  let blocks;
  try {
    blocks = blocksOfRaw(raw);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Its raw response (${raw.api}) cannot be turned into blocks: ${reason}`;
    return [{ ...about, code: 'raw_unreadable', severity: 'error', message }];
  }
  if (sameBlocks(node, blocks)) return [];
  // Another program made these blocks in its own way: it split them differently, or left out what it did not show.
  if (isForeign && deriveTextFromBlocks(blocks) === deriveTextFromBlocks(node.contentBlocks)) return [];
  const message = `Its raw response gives ${blocks.length} block(s) today that differ from the ${node.contentBlocks.length} stored. Requests use raw; what is shown may be wrong.`;
  return [{ ...about, code: 'blocks_differ_from_raw', severity: 'error', message }];
}

/** The cap is a setting that changes; the stored amount shows what it was. */
function sameBlocks({ thinking, contentBlocks }: TreeNode, derived: readonly ContentBlock[]): boolean {
  const expected = thinking?.truncated === true ? capThinking(derived, thinkingBytes(contentBlocks)).blocks : derived;
  return areStoredAs(contentBlocks, expected);
}

/**
 * A file inside of a block is kept apart, and a block that refers to it stands behind. Replies that were stored before
 * hold their files themselves, and so do those whose files could not be kept.
 */
function areStoredAs(stored: readonly ContentBlock[], derived: readonly ContentBlock[]): boolean {
  let at = 0;
  for (const block of derived) {
    const [here, ...behind] = stored.slice(at);
    const made = emptied(block);
    if (here === undefined) return false;
    at += 1;
    if (stableDeepEqual(here, block)) continue;
    if (made === null || !stableDeepEqual(here, made.bare)) return false;
    if (!made.files.every((file, index) => isFile(behind[index], file))) return false;
    at += made.files.length;
  }
  return at === stored.length;
}

function isFile(block: ContentBlock | undefined, { data }: MadeFile): boolean {
  if (block === undefined || !isAttachedBlock(block)) return false;
  const { hash } = block.original ?? block.file;
  return createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex') === hash;
}

function thinkingBytes(blocks: readonly ContentBlock[]): number {
  return blocks.filter(isThinkingBlock).reduce((sum, block) => sum + Buffer.byteLength(block.thinking), 0);
}
