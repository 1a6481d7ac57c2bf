import type { ContentBlock } from '@bough/core';
import { isPlainObject, stableDeepEqual } from '@bough/core';
import type { UIMessage } from 'ai';
import type { Namespace } from '../metadata/index.ts';
import { namespaceOf, textAt } from '../metadata/index.ts';
import type { Origin } from '../stamp/index.ts';
import { stampOf } from '../stamp/index.ts';
import { namespaceOfProvider } from '../target/namespace.ts';
import type { HistoryNode, Part, UIRemainder } from './node.ts';
import { NO_STEP, PART, textBlock } from './node.ts';
import { restOf } from './rest.ts';
import type { Result } from './unit.ts';
import { blocksOfUnit, PartWriter, unitOfPart } from './unit.ts';

/** The provider of a part for which only the metadata is known: then the model is unknown. */
const PROVIDERS: Readonly<Record<Namespace, string>> = {
  anthropic: 'anthropic',
  openai: 'openai_responses',
  google: 'gemini',
};

/** The nodes of one message, derived only from its parts. */
export function nodesOfMessage(message: UIMessage, startsMessage: boolean): readonly HistoryNode[] {
  const parts: readonly Part[] = message.parts;
  const metadata = ownMetadata(message.metadata);
  const ui: UIRemainder = {
    ...(metadata !== undefined && { metadata }),
    ...(startsMessage && { startsMessage }),
  };
  if (message.role !== 'assistant') return [textNode(message, parts, ui)];
  const nodes = stepsOf(parts).flatMap(nodesOfStep);
  return nodes.map((node, at) => ({
    ...node,
    id: at === 0 ? message.id : `${message.id}#${at}`,
    ...(at === 0 && Object.keys(ui).length > 0 && { ui }),
  }));
}

/** The application's metadata without what `toUIMessages` added. */
export function ownMetadata(metadata: unknown): unknown {
  if (!isPlainObject(metadata) || !('bough' in metadata)) return metadata;
  const { bough: _, ...own } = metadata;
  return Object.keys(own).length === 0 ? undefined : own;
}

const PLAIN = { toolCallId: null, provider: null, modelUsed: null, madeWith: null, isError: false, interrupted: false };

function textNode({ id, role, parts: given }: UIMessage, parts: readonly Part[], ui: UIRemainder): HistoryNode {
  const texts = parts.flatMap((part) => (typeof part['text'] === 'string' && part.type === 'text' ? part['text'] : []));
  const contentBlocks = texts.length === 0 ? [textBlock('')] : texts.map(textBlock);
  const remainder = stableDeepEqual(parts, contentBlocks) ? ui : { ...ui, parts: given };
  return { ...PLAIN, id, role, contentBlocks, ...(Object.keys(remainder).length > 0 && { ui: remainder }) };
}

interface Step {
  readonly started: boolean;
  readonly parts: readonly Part[];
}

/** A `step-start` begins a new reply: what follows it was made with the results of what comes before it. */
function stepsOf(parts: readonly Part[]): readonly Step[] {
  const steps: { started: boolean; parts: Part[] }[] = [];
  for (const part of parts) {
    if (part.type === 'step-start' && Object.keys(part).length === 1) steps.push({ started: true, parts: [] });
    else {
      if (steps.length === 0) steps.push({ started: false, parts: [] });
      steps.at(-1)?.parts.push(part);
    }
  }
  return steps.length === 0 ? [{ started: false, parts: [] }] : steps;
}

function nodesOfStep({ started, parts }: Step): readonly HistoryNode[] {
  const { origin, provider, namespace } = makerOf(parts);
  const writer = new PartWriter(origin, namespace);
  const blocks: ContentBlock[] = started && parts.length > 0 ? [] : [{ type: NO_STEP, started }];
  const results = new Map<string, Result>();
  const seen = new Set<string>();
  for (const [at, part] of parts.entries()) {
    const { unit, result } = unitOfPart(goesOn(part, parts.slice(at + 1)) ? unsealed(part) : part, namespace);
    // Two calls with one id cannot both be answered: the second is kept unchanged.
    const isSecond = unit.kind === 'tool' && seen.has(unit.call.id);
    if (isSecond || unit.kind === 'part') {
      blocks.push({ type: PART, part });
      continue;
    }
    if (unit.kind === 'tool') {
      seen.add(unit.call.id);
      if (result !== null) results.set(unit.call.id, result);
    }
    const rest = restOf(writer.write(unit, result), part, result !== null);
    blocks.push(...blocksOfUnit(unit), ...(rest === null ? [] : [rest]));
  }
  const reply: HistoryNode = {
    ...PLAIN,
    id: '',
    role: 'assistant',
    contentBlocks: blocks,
    provider,
    modelUsed: origin?.model ?? null,
    madeWith: origin?.madeWith ?? null,
    interrupted: parts.some(({ state }) => state === 'streaming' || state === 'input-streaming'),
  };
  return [reply, ...[...results].map(([toolCallId, result]) => resultNode(toolCallId, result))];
}

/**
 * Whether a later part belongs to the same reasoning item of OpenAI: one item has a part for each of its summaries, and
 * only the last of them carries the encrypted content that can be sent back.
 */
function goesOn(part: Part, later: readonly Part[]): boolean {
  const id = textAt(part['providerMetadata'], 'openai', 'itemId');
  return (
    part.type === 'reasoning' &&
    id !== null &&
    later.some((next) => next.type === 'reasoning' && textAt(next['providerMetadata'], 'openai', 'itemId') === id)
  );
}

function unsealed(part: Part): Part {
  return { ...part, providerMetadata: undefined };
}

function resultNode(toolCallId: string, { text, isError }: Result): HistoryNode {
  return { ...PLAIN, id: '', role: 'tool', contentBlocks: [textBlock(text)], toolCallId, isError };
}

interface Maker {
  readonly origin: Origin | null;
  readonly provider: string | null;
  readonly namespace: Namespace;
}

function makerOf(parts: readonly Part[]): Maker {
  const metadata = parts.map(({ type, providerMetadata, callProviderMetadata }) => ({
    type,
    providerOptions: metadataOf(providerMetadata ?? callProviderMetadata),
  }));
  const stamp = stampOf(metadata);
  const named = metadata.map(({ providerOptions }) => namespaceOf(providerOptions)).find((name) => name !== null);
  const origin = stamp === null ? null : { provider: stamp.provider, model: stamp.model, madeWith: stamp.madeWith };
  const provider = stamp?.provider ?? (named == null ? null : PROVIDERS[named]);
  return { origin, provider, namespace: namespaceOfProvider(provider) };
}

type Metadata = NonNullable<Parameters<typeof stampOf>[0][number]['providerOptions']>;

function metadataOf(value: unknown): Metadata | undefined {
  if (!isPlainObject(value) || !Object.values(value).every(isPlainObject)) return undefined;
  // Every member was checked to be an object; their contents came from JSON.
  return value as Metadata;
}
