import { createHash } from 'node:crypto';
import type {
  BlobHash,
  Branch,
  BranchId,
  Envelope,
  Lock,
  NodeId,
  ProjectId,
  ThinkingSetting,
  TreeNode,
} from '@bough/core';
import { blobHash, createNode, nodeId, projectId } from '@bough/core';
import type { CallTarget, PreparedCall, Provider, ReadBlob } from '@bough/providers';
import { cacheSlot, prepareCall, prepareStored } from '@bough/providers';
import type { Store, StoredContext } from '@bough/store';
import type { ClientBody } from '../dialect.ts';
import { storedBlocks } from '../record/files.ts';
import type { ToolNames } from './names.ts';
import type { RouteRule } from './rules.ts';

/** Where a request is to be sent instead. */
export interface Routed {
  readonly rule: RouteRule;
  readonly provider: Provider;
  /** Calls in its history have the names that the provider knows. */
  readonly body: ClientBody;
  readonly names: ToolNames;
}

/** What a client's request leaves with, made of stored messages or of its body alone. */
export interface RoutedCall {
  readonly prepared: PreparedCall;
  readonly readBlob: ReadBlob;
}

/** A header of Claude Code's, written as a text of its system prompt; to any other vendor it is noise. */
const BILLING = /^x-anthropic-billing-header/;

function systemPromptOf({ system }: ClientBody): string | null {
  const texts = system.filter((text) => !BILLING.test(text));
  return texts.length === 0 ? null : texts.join('\n\n');
}

/** Where a client says nothing, its own vendor decides: Claude does not think then, the others do. */
function thinkingOf({ thinking, protocol }: ClientBody, { to }: RouteRule): ThinkingSetting {
  return to.thinking ?? thinking ?? (protocol === 'anthropic-messages' ? 'off' : 'medium');
}

/** What a branch is locked to whose replies come from a route. */
export function routedEnvelope({ rule, body }: Pick<Routed, 'rule' | 'body'>): Envelope {
  return {
    provider: rule.to.provider,
    model: rule.to.model,
    systemPrompt: systemPromptOf(body),
    // The client runs its tools itself: here they cannot be called.
    tools: [],
    thinking: thinkingOf(body, rule),
    ...(body.maxTokens === null ? {} : { maxTokens: body.maxTokens }),
  };
}

function targetOf({ rule, provider, body, names }: Routed): CallTarget {
  const { toolChoice } = body;
  return {
    provider,
    model: rule.to.model,
    systemPrompt: systemPromptOf(body),
    tools: names.definitions,
    thinking: thinkingOf(body, rule),
    toolChoice: typeof toolChoice === 'string' ? toolChoice : { name: names.sentName(toolChoice.name) },
    // What another model called is history that the client goes on with, not prose.
    keepToolsAfterBreak: true,
    ...(body.maxTokens === null ? {} : { maxTokens: body.maxTokens }),
  };
}

/**
 * From the stored path: what the provider said goes back to it as it said it, however little of that the client's
 * protocol could carry. Read in one round trip without the turns that are cached; all of it where that is not enough.
 */
export async function prepareFromTree(
  store: Store,
  routed: Routed,
  {
    project,
    tip,
    branches,
  }: { readonly project: ProjectId; readonly tip: NodeId; readonly branches: readonly Branch[] },
): Promise<RoutedCall> {
  const target = targetOf(routed);
  await target.provider.findModel(target.model, 'calling');
  const locks = new Map<BranchId, Lock>(branches.map((branch) => [branch.id, branch.envelope]));
  const prepare = (context: StoredContext): PreparedCall | null =>
    prepareStored(context, target, {
      lockOf: (branch) => locks.get(branch) ?? null,
      rawOf: (node) => context.raws.get(node),
      renderingOf: (node, key) => context.renderings.get(node)?.get(key),
    });
  const { renderingKeys } = target.provider;
  const prepared =
    prepare(await store.readContext(project, tip, renderingKeys, cacheSlot(target))) ??
    prepare(await store.readContext(project, tip, renderingKeys));
  if (prepared === null) throw new Error('All of the path was read, and it was not enough.');
  return { prepared, readBlob: (hash) => store.blobs.read(project, hash) };
}

/** From the client's body alone, if nothing is recorded: reasoning that only the tree has does not come back. */
export async function prepareFromBody(routed: Routed): Promise<RoutedCall> {
  const target = targetOf(routed);
  await target.provider.findModel(target.model, 'calling');
  const files = new Map<BlobHash, Uint8Array>();
  const path = await nodesOf(routed, files);
  return {
    prepared: prepareCall(path, target, { rawOf: () => undefined }),
    readBlob: (hash) => {
      const bytes = files.get(hash);
      return Promise.resolve(bytes && { size: bytes.length, bytes: inOnePiece(bytes) });
    },
  };
}

const NOWHERE = projectId('unrecorded');

async function nodesOf({ body }: Routed, files: Map<BlobHash, Uint8Array>): Promise<readonly TreeNode[]> {
  const blobs = {
    put: async (content: AsyncIterable<Uint8Array>) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      const hash = blobHash(createHash('sha256').update(bytes).digest('hex'));
      files.set(hash, bytes);
      return { hash, size: bytes.length };
    },
  };
  const path: TreeNode[] = [];
  for (const part of body.messages.flatMap(({ parts }) => parts)) {
    const { role, toolCallId, isError = false } = part;
    const blocks = await storedBlocks(blobs, part);
    path.push(
      createNode({
        id: nodeId(`unrecorded-${path.length}`),
        projectId: NOWHERE,
        parentId: path.at(-1)?.id ?? null,
        role,
        contentBlocks: blocks,
        toolCallId: toolCallId ?? null,
        isError,
        createdAt: '',
      }),
    );
  }
  return path;
}

// eslint-disable-next-line @typescript-eslint/require-await -- files are read as streams.
async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
