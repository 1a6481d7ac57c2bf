import type { ContentBlock } from '@bough/core';
import { isThinkingSignatureBlock, stableDeepEqual } from '@bough/core';
import type { UIMessage } from 'ai';
import { namespaceOfProvider } from '../target/namespace.ts';
import type { HistoryNode, Part } from './node.ts';
import { NO_STEP, textBlock } from './node.ts';
import { isRest, withRest } from './rest.ts';
import type { Result, Unit } from './unit.ts';
import { PartWriter, unitOfBlock, withSignature } from './unit.ts';

/**
 * The nodes that are one message in a user interface: what the user says, or the whole reply to it, including tools.
 */
export function groupNodes(nodes: readonly HistoryNode[]): readonly (readonly HistoryNode[])[] {
  const groups: HistoryNode[][] = [];
  for (const node of nodes) {
    const group = groups.at(-1);
    const goesOn = isReply(node) && group?.[0] !== undefined && isReply(group[0]) && node.ui?.startsMessage !== true;
    if (goesOn) group?.push(node);
    else groups.push([node]);
  }
  return groups;
}

const isReply = ({ role }: HistoryNode): boolean => role === 'assistant' || role === 'tool';

/** One message made from its nodes, as the AI SDK would have made it. */
export function messageOfNodes(nodes: readonly HistoryNode[]): UIMessage {
  const [first] = nodes;
  const metadata = first?.ui?.metadata;
  return {
    id: first?.id ?? '',
    role: first?.role === 'user' || first?.role === 'system' ? first.role : 'assistant',
    ...(metadata !== undefined && { metadata }),
    // Parts are built field by field, some of kinds that no version of the AI SDK knows: no type can be more precise.
    parts: partsOf(nodes) as UIMessage['parts'],
  };
}

function partsOf(nodes: readonly HistoryNode[]): readonly Part[] {
  const [first] = nodes;
  if (first !== undefined && !isReply(first)) return textParts(first);
  return nodes.flatMap((node, at) => (node.role === 'assistant' ? replyParts(node, resultsBehind(nodes, at)) : []));
}

/** The original parts, as long as they say what the node says. */
function textParts({ contentBlocks, ui }: HistoryNode): readonly Part[] {
  const given: readonly Part[] = ui?.parts ?? [];
  const texts = given.flatMap((part) => (part.type === 'text' && typeof part['text'] === 'string' ? part['text'] : []));
  const said = texts.length === 0 ? [textBlock('')] : texts.map(textBlock);
  return ui?.parts !== undefined && stableDeepEqual(said, contentBlocks)
    ? given
    : contentBlocks.map((block) => ({ ...block }));
}

function resultsBehind(nodes: readonly HistoryNode[], at: number): ReadonlyMap<string, Result> {
  const results = new Map<string, Result>();
  for (const node of nodes.slice(at + 1)) {
    if (node.role !== 'tool' || node.toolCallId === null) break;
    const text = node.contentBlocks.map((block) => ('text' in block ? String(block['text']) : '')).join('');
    if (!results.has(node.toolCallId)) results.set(node.toolCallId, { text, isError: node.isError });
  }
  return results;
}

interface Placed {
  readonly unit: Unit;
  readonly rest: ContentBlock | null;
}

function replyParts(node: HistoryNode, results: ReadonlyMap<string, Result>): readonly Part[] {
  const { provider, modelUsed, madeWith, contentBlocks } = node;
  const namespace = namespaceOfProvider(provider);
  const origin = provider === null || modelUsed === null ? null : { provider, model: modelUsed, madeWith };
  const writer = new PartWriter(origin, namespace);
  const [head, ...others] = contentBlocks;
  const noStep = head?.type === NO_STEP && 'started' in head;
  const isStarted = !noStep || head['started'] === true;
  const units = unitsOf(noStep ? others : contentBlocks, namespace === 'google');
  const parts = units.map(({ unit, rest }) => {
    const result = unit.kind === 'tool' ? (results.get(unit.call.id) ?? null) : null;
    return withRest(writer.write(unit, result), rest, result !== null);
  });
  return isStarted ? [{ type: 'step-start' }, ...parts] : parts;
}

function unitsOf(blocks: readonly ContentBlock[], signsBehind: boolean): readonly Placed[] {
  const units: Placed[] = [];
  for (const block of blocks) {
    const last = units.at(-1);
    if (isRest(block) && last !== undefined && last.rest === null) {
      units[units.length - 1] = { ...last, rest: block };
      continue;
    }
    const signed =
      signsBehind && last?.rest === null && isThinkingSignatureBlock(block)
        ? withSignature(last.unit, block.signature)
        : null;
    if (signed === null) units.push({ unit: unitOfBlock(block), rest: null });
    else units[units.length - 1] = { unit: signed, rest: null };
  }
  return units;
}
