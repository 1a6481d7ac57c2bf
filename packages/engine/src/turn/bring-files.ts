import type { AttachedBlock, BlobHash, ContentBlock } from '@bough/core';
import { isAttachedBlock } from '@bough/core';
import type { PreparedCall, Provider, Uploaded } from '@bough/providers';
import { MOST_UPLOADED_BYTES } from '@bough/providers';
import type { Environment } from '../environment.ts';
import type { RunningTurn } from './running.ts';

/** What became of the files of a conversation whose container is gone. */
export interface BroughtFiles {
  /** Their ids at the provider, for the new container. */
  readonly ids: readonly string[];
  /** The names of those that came along, and of those that did not. */
  readonly brought: readonly string[];
  readonly missing: readonly string[];
}

/** More would hold up the reply for minutes. The newest count. */
const MOST_FILES = 20;
const UPLOAD_MS = 60_000;

/**
 * Gives the provider the files that people attached and that models made, so that a new container has them. Whatever
 * goes wrong with a file, the turn goes on without it.
 */
export async function bringFiles(
  env: Environment,
  running: RunningTurn,
  { request, report }: Pick<PreparedCall, 'request' | 'report'>,
): Promise<BroughtFiles> {
  const sent = new Set(report.filter(({ fidelity }) => fidelity !== 'dropped').map(({ nodeId }) => nodeId));
  const path = await env.store.path(running.turn.projectId, running.tip);
  const files = filesIn(path.filter(({ id, role }) => sent.has(id) && role !== 'tool').flatMap((n) => n.contentBlocks));
  const { upload } = env.providers.get(request.issuer.provider);
  const ids: string[] = [];
  const brought: string[] = [];
  const missing: string[] = [];
  let isOpen = upload !== null && request.takesContainerFiles === true;
  for (const [at, { name, block }] of files.entries()) {
    const isTooMuch = at < files.length - MOST_FILES || block.file.size > MOST_UPLOADED_BYTES;
    const answer = isOpen && upload !== null && !isTooMuch ? await give(env, running, upload, name, block) : null;
    if (answer?.type === 'stored') {
      ids.push(answer.id);
      brought.push(name);
      continue;
    }
    missing.push(name);
    // Anything but an objection to this very file would meet the next one as well.
    if (answer?.type === 'refused' && answer.error.code !== 'invalid_request') isOpen = false;
  }
  return { ids, brought, missing };
}

async function give(
  env: Environment,
  { turn, abort }: RunningTurn,
  upload: NonNullable<Provider['upload']>,
  name: string,
  { file }: AttachedBlock,
): Promise<Uploaded | null> {
  const bytes = await bytesOf(env, turn.projectId, file.hash);
  if (bytes === null) return null;
  const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(UPLOAD_MS)]);
  return upload({ name, mediaType: file.mediaType, bytes }, signal);
}

/** Null for a file that is no longer stored, or is not what its hash says. */
async function bytesOf(
  { store, observe }: Environment,
  project: RunningTurn['turn']['projectId'],
  hash: BlobHash,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const blob = await store.blobs.read(project, hash);
    if (blob === undefined) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of blob.bytes) pieces.push(piece);
    return Buffer.concat(pieces);
  } catch (error) {
    observe({ type: 'problem', what: 'a file for a container', message: String(error) });
    return null;
  }
}

interface NamedFile {
  readonly name: string;
  readonly block: AttachedBlock;
}

/** Each file once, under a name of its own that every file system takes. */
function filesIn(blocks: readonly ContentBlock[]): readonly NamedFile[] {
  const byHash = new Map<BlobHash, NamedFile>();
  const names = new Set<string>();
  for (const block of blocks) {
    // What was made while thinking is for people alone.
    if (!isAttachedBlock(block) || block.inThought === true || byHash.has(block.file.hash)) continue;
    const plain = block.name.replaceAll(/[<>:"|?*\\/\p{Cc}]/gu, '_').slice(-200) || 'file';
    let name = plain;
    for (let copy = 2; names.has(name); copy += 1) name = `${copy}-${plain}`;
    names.add(name);
    byHash.set(block.file.hash, { name, block });
  }
  return [...byHash.values()];
}
