import type { NodeId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { PreparedRequest, RenderInput } from '../protocol.ts';
import { parseJson } from './json-text.ts';

// A new container gets the files of the conversation. Which ids they have at the provider is kept with the node whose
// container is gone: whatever is said behind that node, in whichever branch, brings them along. Where they are part of
// a message, the reply to it remembers that: replies that were made before must not see the message change.

const filesKey = (keys: string): string => `${keys}container files`;
const broughtKey = (keys: string): string => `${keys}brought files`;

type Lookup = Pick<RenderInput, 'renderingOf' | 'containerFiles'>;

const idsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : [];

/** The files for the container that takes the place of the one that is gone. */
export function filesInsteadOf(gone: NodeId, keys: string, input: Lookup): readonly string[] {
  return input.containerFiles ?? idsIn(parseJson(input.renderingOf?.(gone, filesKey(keys)) ?? '[]'));
}

/** To be stored with the renderings of the first request that brings them. */
export function newFiles(gone: NodeId, keys: string, { containerFiles = [] }: Lookup): PreparedRequest['renderings'] {
  return containerFiles.length === 0
    ? []
    : [{ nodeId: gone, key: filesKey(keys), bytes: JSON.stringify(containerFiles) }];
}

/** Files that are part of the message of a node. */
export interface BroughtFiles {
  readonly nodeId: NodeId;
  readonly ids: readonly string[];
}

/** What the message before this reply brought when the reply was made. */
export function broughtBefore(reply: NodeId, keys: string, { renderingOf }: Lookup): BroughtFiles | null {
  const value = parseJson(renderingOf?.(reply, broughtKey(keys)) ?? 'null');
  if (!isPlainObject(value) || typeof value['nodeId'] !== 'string') return null;
  return { nodeId: value['nodeId'] as NodeId, ids: idsIn(value['ids']) };
}

/** To be stored with the reply to a request that brings files in its newest message. */
export function withReply(brought: BroughtFiles, keys: string): NonNullable<PreparedRequest['withReply']> {
  return { key: broughtKey(keys), bytes: JSON.stringify(brought) };
}
