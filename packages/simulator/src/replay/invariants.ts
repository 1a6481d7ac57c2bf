import type { Choices, ContentBlock, TreeNode } from '@bough/core';
import {
  isAttachedBlock,
  isCanvasBlock,
  isKnownBlock,
  isPlainObject,
  isRedactedThinkingBlock,
  isTextBlock,
  isThinkingBlock,
  isThinkingSignatureBlock,
  stableDeepEqual,
  stableStringify,
} from '@bough/core';
import type { CallReportLine, CallTarget, PreparedCall } from '@bough/providers';
import { objectionIn } from '@bough/providers';
import type { LogEntry } from '../log/index.ts';
import { base64Of } from './files.ts';

/** A broken promise, with everything needed to see how it was broken. */
export class BrokenPromise extends Error {
  constructor(promise: string, detail: string) {
    super(`${promise}: ${detail}`);
    this.name = 'BrokenPromise';
  }
}

/** No provider refuses a request: preflight repairs whatever it finds. */
export function checkNoViolation({ request }: PreparedCall): void {
  const violation = objectionIn(request.violations);
  if (violation !== undefined) {
    const { rule, path, message } = violation;
    throw new BrokenPromise('a request breaks a rule', `${rule} at ${path}: ${message}\n${request.body}`);
  }
}

/** A request made with cached turns is the same as one made without. */
export function checkCached(cached: PreparedCall, whole: PreparedCall): void {
  const [a, b] = [essenceOf(cached), essenceOf(whole)];
  const { body, pieces } = cached.request;
  const sent = pieces === undefined ? body : new TextDecoder().decode(Buffer.concat(pieces));
  if (sent !== body) throw new BrokenPromise('the bytes of a request are not those of its body', `${sent}\n${body}`);
  for (const key of Object.keys(a) as (keyof typeof a)[]) {
    if (stableDeepEqual(a[key], b[key])) continue;
    const both = `${JSON.stringify(a[key])}\n${JSON.stringify(b[key])}`;
    throw new BrokenPromise(`the ${key} of a request depends on what is cached`, both);
  }
}

function essenceOf({ context, request, report, maxTokens }: PreparedCall) {
  const sorted = (values: readonly unknown[]) => values.map((value) => stableStringify(value)).sort();
  return {
    body: request.body,
    headers: request.headers,
    report,
    madeWith: context.madeWith,
    tokens: [context.estimatedTokens, maxTokens, context.breakNodeId],
    violations: request.violations,
    notes: sorted(request.notes),
    renderings: sorted(request.renderings),
  };
}

/** No request is refused and nothing is lost silently, as the simulator sees it. */
export function checkLog(entries: readonly LogEntry[], call: PreparedCall): void {
  const refused = entries.find(({ kind, rule }) => kind === 'rejected' || rule === 'simulator_failed');
  if (refused !== undefined) {
    throw new BrokenPromise('the simulator refused', `${refused.rule}: ${refused.detail}\n${call.request.body}`);
  }
  // What the rulebook itself says about a request is told with its preview.
  const told = new Set(call.request.violations.map(({ rule }) => rule));
  const drop = entries.find(({ kind, rule }) => kind === 'silent_drop' && !(rule !== undefined && told.has(rule)));
  if (drop !== undefined && !call.report.some(isLoss)) {
    throw new BrokenPromise('a loss that no report tells of', `${drop.rule}: ${drop.detail}\n${call.request.body}`);
  }
}

/** Nothing is lost silently: whatever part of a node is not in the request is in the report. */
export function checkLosses(path: readonly TreeNode[], call: PreparedCall, target: CallTarget): void {
  const sent = stringsOf(JSON.parse(call.request.body)).join('\u0000');
  const lines = new Map(call.report.map((line) => [line.nodeId, line]));
  for (const node of path) {
    const line = lines.get(node.id);
    if (line === undefined) throw new BrokenPromise('a node has no line in the report', node.id);
    if (isLoss(line)) continue;
    const own = node.provider === target.provider.deployment.id && node.modelUsed === target.model;
    const lost = node.contentBlocks
      .flatMap((block) =>
        // Replies that go back as they were made hold their files themselves.
        node.role === 'assistant' && isAttachedBlock(block) ? [base64Of(block)] : piecesOf(block, own, target),
      )
      .find((piece) => !sent.includes(piece));
    if (lost !== undefined) {
      throw new BrokenPromise('an unreported loss', `of ${node.role} ${node.id}: ${lost}\n${call.request.body}`);
    }
  }
}

/** What a person left out is not sent, and reported as such; what is pinned is never trimmed. */
export function checkChoices(path: readonly TreeNode[], choices: Choices, { report, request }: PreparedCall): void {
  for (const { id, role } of path) {
    const line = report.find(({ nodeId }) => nodeId === id);
    const reasons = line?.reasons ?? [];
    const isTold = reasons.includes('left_out') || reasons.includes('compacted');
    const isOut = line?.fidelity === 'dropped' && isTold && line.estimatedTokens === 0;
    // A result stands for itself only as long as its call is sent.
    const isToldOut = role === 'tool' && (line?.fidelity === 'dropped' || reasons.includes('result_left_out'));
    if (choices[id] === 'leave_out' && !isOut && !isToldOut)
      throw new BrokenPromise('a message that was left out is sent', `${id} ${JSON.stringify(line)}\n${request.body}`);
    if (choices[id] === 'pin' && (reasons.includes('trimmed') || reasons.includes('compacted')))
      throw new BrokenPromise('a pinned message was trimmed or summarised away', `${id}\n${request.body}`);
  }
}

/**
 * What stands beside a message for people reaches no model: where a merge comes from, and the versions of the canvas.
 * Of a version, what is told of it is a text on the path.
 */
export function checkKeptBeside(path: readonly TreeNode[], { request, report }: PreparedCall): void {
  const untold = path.find(({ id, contentBlocks }) => {
    if (contentBlocks.length === 0 || !contentBlocks.every(isCanvasBlock)) return false;
    const reasons = report.find(({ nodeId }) => nodeId === id)?.reasons ?? [];
    return !['canvas_not_sent', 'compacted', 'left_out'].some((known) => reasons.some((reason) => reason === known));
  });
  if (untold !== undefined) throw new BrokenPromise('a version that is not sent is not reported as such', untold.id);
  const kept = blocksIn(JSON.parse(request.body)).find(({ type }) => type === 'merge' || type === 'canvas');
  if (kept !== undefined) throw new BrokenPromise('a block for people is sent', JSON.stringify(kept));
  const blocks = path.flatMap(({ contentBlocks }): readonly ContentBlock[] => contentBlocks);
  const told = JSON.stringify(blocks.filter((block) => !isCanvasBlock(block)));
  const marks = blocks.filter(isCanvasBlock).flatMap(({ text }) => text.match(/\(v\d+\)/g) ?? []);
  const leaked = marks.find((mark) => !told.includes(mark) && request.body.includes(mark));
  if (leaked !== undefined) throw new BrokenPromise('a version of the canvas is sent', `${leaked}\n${request.body}`);
}

function blocksIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap(blocksIn);
  return isPlainObject(value) ? [value, ...Object.values(value).flatMap(blocksIn)] : [];
}

function isLoss({ fidelity, reasons }: CallReportLine): boolean {
  return fidelity !== 'verbatim' || reasons.length > 0;
}

/** What must appear in the request for a node that is reported as sent unchanged. */
export function piecesOf(block: ContentBlock, own: boolean, { provider }: CallTarget): readonly string[] {
  if (isTextBlock(block)) return block.text.trim() === '' ? [] : [block.text];
  // By its hash: the place of a file names it.
  if (isAttachedBlock(block)) return [block.type === 'file' && block.text ? block.text.hash : block.file.hash];
  if (!own) return [];
  if (!isKnownBlock(block)) return opaqueIn(block);
  if (isRedactedThinkingBlock(block)) return [block.data];
  if (isThinkingSignatureBlock(block)) return [block.signature];
  if (!isThinkingBlock(block)) return [];
  if (block.signature !== undefined) return [block.signature];
  // Gemini never takes the text of thoughts back, only their signatures.
  return provider.deployment.protocol === 'gemini' ? [] : [block.thinking];
}

/** What only its maker can read: results of its own tools, and what it cites of them. */
const OPAQUE: ReadonlySet<string> = new Set(['encrypted_content', 'encrypted_index', 'thoughtSignature']);

function opaqueIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(opaqueIn);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    OPAQUE.has(key) && typeof part === 'string' ? [part] : opaqueIn(part),
  );
}

export function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return isPlainObject(value) ? Object.values(value).flatMap(stringsOf) : [];
}

/** The prefix is stable: what was sent before precedes what is new, unchanged. */
export function checkPrefix(before: string, after: string): void {
  const start = conversationOf(before);
  const whole = conversationOf(after);
  // The last message may have grown: two user messages in a row become one.
  const open = start.replace(/[\]}"]+$/, '');
  if (!whole.startsWith(open)) {
    const at = Array.from({ length: open.length }).findIndex((_, index) => open[index] !== whole[index]);
    const around = (text: string): string => text.slice(Math.max(0, at - 120), at + 200);
    throw new BrokenPromise('the prefix changed', `at ${at}\nbefore: ${around(start)}\nafter:  ${around(whole)}`);
  }
}

/** Everything in a request that a provider compares or caches, in order; the settings around it may change. */
function conversationOf(body: string): string {
  const request: unknown = JSON.parse(body);
  if (!isPlainObject(request)) return body;
  const { tools, system, instructions, systemInstruction } = request;
  const messages = request['messages'] ?? request['input'] ?? request['contents'];
  const inParts = Array.isArray(messages) ? messages.map(userInParts) : messages;
  const conversation = [tools ?? null, system ?? instructions ?? systemInstruction ?? null, inParts];
  // What is kept is marked beside the conversation.
  return JSON.stringify(conversation, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
}

/**
 * A message that nobody answered is joined with the next one. If that holds a picture, the text of both becomes a list
 * of parts: the same text to the model, in a form that has room for the picture.
 */
function userInParts(message: unknown): unknown {
  if (!isPlainObject(message) || message['role'] !== 'user' || typeof message['content'] !== 'string') return message;
  return { ...message, content: [{ type: 'text', text: message['content'] }] };
}
