import type {
  Call,
  ContentBlock,
  MergeBlock,
  NodeId,
  NodeThinking,
  ProjectId,
  ProtocolId,
  RawResponse,
  TreeNode,
  TurnId,
} from '@bough/core';
import {
  bodyOfRaw,
  branchId,
  callId,
  createNode,
  eventsOfRaw,
  getContentBlocksWithLegacyFallback,
  InvalidMessageError,
  isPlainObject,
  mergeHeading,
  nodeId,
  rawPayload,
  thinkingOf,
} from '@bough/core';

// Lines that ResearchTree wrote. They are read as they are and never rewritten. Messages become nodes, and so do
// merges, which its models are told about; a state is a snapshot of the canvas, and was never sent to a model.

type Line = Readonly<Record<string, unknown>>;

const isMessageLine = (line: Line): boolean => line['type'] === 'message' || line['type'] === undefined;

export const isNodeLine = (line: Line): boolean => isMessageLine(line) || mergeOf(line) !== null;

/** `parentId` is the nearest node above, which may not be the line's own parent. */
export function nodeOfOldLine(project: ProjectId, line: Line, parentId: NodeId | null): TreeNode {
  const merge = mergeOf(line);
  if (merge !== null)
    return createNode({
      id: nodeId(text(line['id']) ?? ''),
      projectId: project,
      parentId,
      role: 'user',
      contentBlocks: merge,
      createdOnBranch: branchOf(line),
      createdAt: timeOf(line),
    });
  const role = line['role'];
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool') {
    throw new InvalidMessageError('role', 'must be system, user, assistant or tool.');
  }
  const provider = providerOf(line);
  const modelUsed = text(line['modelUsed']);
  const contentBlocks = blocksOf(line);
  return createNode({
    id: nodeId(text(line['id']) ?? ''),
    projectId: project,
    parentId,
    role,
    contentBlocks: role === 'assistant' ? contentBlocks : textOnly(contentBlocks, text(line['content']) ?? ''),
    createdOnBranch: branchOf(line),
    provider,
    modelUsed,
    thinking: role === 'assistant' ? thinkingOfLine(line, contentBlocks) : null,
    interrupted: line['interrupted'] === true,
    createdAt: timeOf(line),
  });
}

/**
 * What a merge brought, as Bough tells it: the words of the person who merged, and the answer that went along. Null for
 * another line, and for a merge that says nothing. Where the fork was, the line does not tell; the nodes do.
 */
function mergeOf(line: Line): readonly [MergeBlock, ContentBlock] | null {
  if (line['type'] !== 'merge') return null;
  const branchName = text(line['mergeFrom']);
  const sources: readonly unknown[] = Array.isArray(line['sourceNodeIds']) ? line['sourceNodeIds'] : [];
  const nodeIds = sources.flatMap((id) => (typeof id === 'string' ? [nodeId(id)] : []));
  const answer = text(line['mergedAssistantNodeId']);
  const upTo = answer === null ? nodeIds.at(-1) : nodeId(answer);
  const told = [line['mergeSummary'], line['mergedAssistantContent']].flatMap((each) => text(each)?.trim() || []);
  if (branchName === null || upTo === undefined || told.length === 0) return null;
  const heading = { branchName, by: 'summary' } as const;
  const block: MergeBlock = { type: 'merge', ...heading, branchId: branchId(branchName), after: null, upTo, nodeIds };
  return [block, { type: 'text', text: mergeHeading(heading) + told.join('\n\n') }];
}

/** The call that an old reply came from, as far as the line says. */
export function callOfOldLine(line: Line, node: TreeNode, turn: TurnId): Call {
  const provider = node.provider ?? 'unknown';
  return {
    id: callId(`call-of-${node.id}`),
    projectId: node.projectId,
    turnId: turn,
    nodeId: node.id,
    provider,
    deployment: provider,
    model: node.modelUsed ?? 'unknown',
    status: node.interrupted ? 'interrupted' : 'complete',
    requestHash: '',
    providerRequestId: null,
    responseId: text(line['responseId']),
    startedAt: node.createdAt,
    firstByteAt: null,
    endedAt: node.createdAt,
    usage: null,
    cost: null,
    errorCode: null,
  };
}

/**
 * The raw response of an old line in today's envelope. Its events were stored parsed, and are written as JSON again.
 */
export function rawOfOldLine(line: Line, node: TreeNode): RawResponse | null {
  const stored = wholeOf(line['rawResponse']);
  if (stored === undefined || stored === null) return null;
  const api = protocolOf(stored, node.provider);
  // `eventsOfRaw` reads every shape that was ever stored.
  const held = { payload: stored as RawResponse['payload'] };
  return {
    provider: node.provider ?? 'unknown',
    deployment: node.provider ?? 'unknown',
    model: node.modelUsed ?? 'unknown',
    api,
    version: 1,
    capturedAt: node.createdAt,
    complete: !node.interrupted,
    payload: rawPayload(api, eventsOfRaw(held), bodyOfRaw(held)),
  };
}

export const hasOldRaw = (line: Line): boolean => line['rawResponse'] !== undefined && line['rawResponse'] !== null;

function blocksOf(line: Line): readonly ContentBlock[] {
  const blocks = getContentBlocksWithLegacyFallback({
    contentBlocks: blockList(line['contentBlocks']),
    content: text(line['content']),
    thinking: traceOf(line),
  });
  return blocks.length > 0 ? blocks : [{ type: 'text', text: '' }];
}

function textOnly(blocks: readonly ContentBlock[], content: string): readonly ContentBlock[] {
  return blocks.every((block) => block.type === 'text') ? blocks : [{ type: 'text', text: content }];
}

function traceOf(line: Line): { readonly content: string | readonly ContentBlock[] } | null {
  const trace = line['thinking'];
  if (!isPlainObject(trace)) return null;
  const content = text(trace['content']) ?? blockList(trace['content']);
  return content === null ? null : { content };
}

function blockList(value: unknown): readonly ContentBlock[] | null {
  if (!Array.isArray(value)) return null;
  const blocks: readonly unknown[] = value;
  // Each is checked to be an object with a type: nothing else is required of a block.
  return blocks.every((block) => isPlainObject(block) && typeof block['type'] === 'string')
    ? (blocks as readonly ContentBlock[])
    : null;
}

const AVAILABILITIES: ReadonlySet<unknown> = new Set(['none', 'summary', 'full', 'redacted', 'partial']);

function thinkingOfLine(line: Line, blocks: readonly ContentBlock[]): NodeThinking | null {
  const observed = thinkingOf(blocks, 'full', false);
  const trace = line['thinking'];
  const recorded = isPlainObject(trace) ? trace['availability'] : undefined;
  if (observed === null || !AVAILABILITIES.has(recorded)) return observed;
  return { ...observed, availability: recorded as NodeThinking['availability'] };
}

function providerOf(line: Line): string | null {
  const trace = line['thinking'];
  return text(line['provider']) ?? (isPlainObject(trace) ? text(trace['provider']) : null);
}

/** In ResearchTree a branch has no id: its name serves as one. */
function branchOf(line: Line) {
  const name = text(line['createdOnBranch']);
  return name === null ? null : branchId(name);
}

function timeOf(line: Line): string {
  const time = new Date(Number(line['timestamp'] ?? 0));
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
}

/**
 * Replies that were not streamed were kept as a list of whole bodies, one per request; the last one is the reply. Of a
 * stream of Gemini that came with its whole body, that one is used which has the thoughts.
 */
function wholeOf(stored: unknown): unknown {
  if (Array.isArray(stored)) {
    const last: unknown = stored.at(-1);
    const body = isPlainObject(last) && isPlainObject(last['response']) ? last['response'] : last;
    if (!isPlainObject(body)) return stored;
    if (Array.isArray(body['content'])) return { response: body };
    if (Array.isArray(body['output'])) return { events: [], response: body };
    // Chunks of a stream have candidates too, but then there are several.
    if (Array.isArray(body['candidates'])) return { stream: [], response: body };
    const [choice]: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
    return isPlainObject(choice) && isPlainObject(choice['message']) ? { response: body } : stored;
  }
  if (isPlainObject(stored) && Array.isArray(stored['stream']) && hasThoughts(stored['response']))
    return stored['stream'].some(hasThoughts) ? { ...stored, response: null } : { ...stored, stream: [] };
  return stored;
}

const hasThoughts = (body: unknown): boolean => /"(?:thought|thoughtSignature)":/.test(JSON.stringify(body ?? null));

/** The shape says more than the provider's name: the same provider was used over two of its APIs. */
function protocolOf(payload: unknown, provider: string | null): ProtocolId {
  if (isPlainObject(payload)) {
    if ('stream' in payload) return 'gemini';
    if ('events' in payload) return 'openai-responses';
    const body = isPlainObject(payload['response']) ? payload['response'] : {};
    if (Array.isArray(body['content'])) return 'anthropic-messages';
    if (Array.isArray(body['choices'])) return 'openai-chat';
  }
  if (Array.isArray(payload)) {
    const [first]: readonly unknown[] = payload;
    return isPlainObject(first) && 'event' in first && 'data' in first ? 'anthropic-messages' : 'openai-chat';
  }
  return provider === 'anthropic' ? 'anthropic-messages' : 'openai-chat';
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
