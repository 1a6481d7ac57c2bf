import type { ContentBlock, NodeId, RawResponse, TreeNode } from '@bough/core';
import { isReasoningBlock } from '@bough/core';
import type { CallReportLine, CallTarget, PreparedCall } from '@bough/providers';
import type { LogEntry } from '../log/index.ts';
import { BrokenPromise, piecesOf, stringsOf } from './invariants.ts';

/** What decides that reasoning stays out, before anything else that may be said about its reply. */
const DECISIVE = [
  'model_break',
  'raw_missing',
  'interrupted_reply',
  'thinking_prefix_changed',
  'thinking_not_replayable',
];

function whyOut(line: CallReportLine | undefined): string {
  const reasons: readonly string[] = line?.reasons ?? [];
  return DECISIVE.find((reason) => reasons.includes(reason)) ?? reasons.join('+');
}

/** How much of the reasoning on the paths of all requests went back, and why the rest did not. */
export class KeptReasoning {
  requests = 0;
  blocks = 0;
  sent = 0;
  /** By reason: how many blocks were not sent. */
  readonly out = new Map<string, number>();

  count(path: readonly TreeNode[], call: PreparedCall, target: CallTarget): void {
    this.requests += 1;
    const sent = stringsOf(JSON.parse(call.request.body)).join('\u0000');
    const lines = new Map(call.report.map((line) => [line.nodeId, line]));
    for (const { id, contentBlocks } of path) {
      const reasoning: readonly ContentBlock[] = contentBlocks;
      for (const block of reasoning.filter(isReasoningBlock)) {
        const pieces = piecesOf(block, true, target);
        if (pieces.length === 0) continue;
        this.blocks += 1;
        const reason = pieces.every((piece) => sent.includes(piece)) ? null : whyOut(lines.get(id));
        if (reason === null) this.sent += 1;
        else this.out.set(reason, (this.out.get(reason) ?? 0) + 1);
      }
    }
  }

  add(other: KeptReasoning): void {
    this.requests += other.requests;
    this.blocks += other.blocks;
    this.sent += other.sent;
    for (const [reason, count] of other.out) this.out.set(reason, (this.out.get(reason) ?? 0) + count);
  }

  toString(): string {
    const out = [...this.out].sort(([, a], [, b]) => b - a).map(([reason, count]) => `  ${count} ${reason}`);
    return [
      `${this.requests} requests with ${this.blocks} blocks of reasoning on their paths: ${this.sent} went back.`,
      'Of the others the simulator would have taken none. Why they stayed out:',
      ...out,
    ].join('\n');
  }
}

/**
 * Everything that the provider takes goes back: no thought of the path stayed out that the simulator says it would have
 * taken. Where raw is gone there is nothing to send, and whether its reply is still the prefix that it was is unknown;
 * and the simulator plays all deployments of a vendor, while Bough takes each for a provider of its own.
 */
export function checkNothingWithheld(
  entries: readonly LogEntry[],
  path: readonly TreeNode[],
  raws: ReadonlyMap<NodeId, RawResponse>,
  call: PreparedCall,
): void {
  const sent = new Set(stringsOf(JSON.parse(call.request.body)));
  // The same thought may have been given twice, and only one of the two be left out.
  const tokens = entries.flatMap(({ withheld }) => withheld ?? []).filter((token) => token !== '' && !sent.has(token));
  if (call.report.some(({ reasons }) => reasons.includes('raw_missing'))) return;
  // A person decided about these.
  const chosen = new Set(
    call.report.flatMap(({ nodeId, reasons }) =>
      reasons.includes('left_out') || reasons.includes('compacted') ? [nodeId] : [],
    ),
  );
  for (const token of tokens) {
    const node = path.find(({ id, interrupted, contentBlocks }) => {
      // The simulator does not know how little of it arrived.
      const raw = interrupted || chosen.has(id) ? undefined : raws.get(id);
      return raw !== undefined && isOf(raw, call.request) && (holds(contentBlocks, token) || holds(raw.payload, token));
    });
    if (node === undefined) continue;
    const line = call.report.find(({ nodeId }) => nodeId === node.id);
    throw new BrokenPromise(
      'reasoning was left out that the provider would have taken',
      `${node.id} ${JSON.stringify(line)}: ${token}\n${call.request.body}`,
    );
  }
}

/** Readable reasoning may say the same in replies of two models; only ciphers and signatures tell who made them. */
function isOf(raw: RawResponse, { issuer, protocol }: PreparedCall['request']): boolean {
  const isSealed = protocol === 'anthropic-messages' || protocol === 'openai-responses';
  return raw.provider === issuer.provider && (isSealed || raw.model === issuer.model);
}

const holds = (value: unknown, token: string): boolean =>
  JSON.stringify(value).includes(JSON.stringify(token).slice(1, -1));
