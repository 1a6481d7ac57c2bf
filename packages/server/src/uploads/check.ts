import type { AttachedBlock, ContentBlock } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import type { BlobStore } from '@bough/store';
import { isDeepStrictEqual } from 'node:util';
import { HttpProblem } from '../problem.ts';
import { recordHash, recorded } from './record.ts';

const FILE_TYPES: ReadonlySet<string> = new Set<AttachedBlock['type']>(['image', 'document', 'audio', 'file']);
const LONGEST_ALT = 10_000;

type Content = string | readonly ContentBlock[];

/**
 * Takes the files in a message only as the server itself described them: in an upload of the last two days, or in
 * `known`, the blocks of the message that is being edited.
 */
export async function checkFiles(
  blobs: Pick<BlobStore, 'has'>,
  content: Content | undefined,
  known: () => Promise<readonly ContentBlock[]> = async () => [],
): Promise<void> {
  if (content === undefined || typeof content === 'string') return;
  const files = [...content.entries()].filter(([, block]) => FILE_TYPES.has(block.type));
  if (files.length === 0) return;
  const already = await known();
  const unknown = files
    .filter(([, block]) => !already.some((each) => isDeepStrictEqual(each, block)))
    .map(([index, block]) => ({ index, hash: recordHash(asRecorded(index, block)) }));
  const found = await blobs.has(
    null,
    unknown.map(({ hash }) => hash),
  );
  const missing = unknown.find(({ hash }) => !found.has(hash));
  if (missing !== undefined)
    throw refused(
      missing.index,
      'this file was not uploaded in the last two days, or is not described as the upload answered. Attach it again.',
    );
}

function asRecorded(index: number, block: ContentBlock): AttachedBlock {
  if (!isAttachedBlock(block)) throw refused(index, `this is no "${block.type}" block as an upload answers with it.`);
  const { alt, ...facts } = { alt: undefined, ...block };
  if (!isDeepStrictEqual(facts, { ...recorded(block) }))
    throw refused(index, 'the block of a file holds only what the upload answered with (and an `alt` of your own).');
  if (alt !== undefined && (!alt.isWellFormed() || alt.length > LONGEST_ALT))
    throw refused(index, `\`alt\` is whole text of at most ${LONGEST_ALT} characters.`);
  return block;
}

function refused(index: number, problem: string): HttpProblem {
  return new HttpProblem(422, 'unknown_file', `content[${index}]: ${problem}`, { field: `content[${index}]` });
}
