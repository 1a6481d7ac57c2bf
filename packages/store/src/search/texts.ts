import type { BlobHash, ProjectId, TreeNode } from '@bough/core';
import { fileTextsOf, nodeLexemes } from '@bough/core';
import { BlobError, type BlobStore } from '../blobs/index.ts';

/** Texts of files are cut there when they are attached; one from elsewhere may be longer. */
const MOST_BYTES = 16 * 1024 * 1024;

/** What was taken out of a file; null where it is gone or damaged: the message is found without it. */
export async function textOfFile(blobs: BlobStore, project: ProjectId, hash: BlobHash): Promise<string | null> {
  try {
    const found = await blobs.read(project, hash);
    if (found === undefined || found.size > MOST_BYTES) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of found.bytes) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    if (error instanceof BlobError) return null;
    throw error;
  }
}

/** What an index keeps of a node, with what is written in its files. */
export async function lexemesWithFiles(blobs: BlobStore, node: TreeNode): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const { text } of fileTextsOf(node.contentBlocks)) {
    const read = await textOfFile(blobs, node.projectId, text.hash);
    if (read !== null) texts.push(read);
  }
  return nodeLexemes(node, texts);
}
