import type { SharedV3ProviderMetadata } from '@ai-sdk/provider';
import type { ContentBlock, ThinkingBlock, ToolUseBlock } from '@bough/core';
import {
  isPlainObject,
  isRedactedThinkingBlock,
  isTextBlock,
  isThinkingBlock,
  isThinkingSignatureBlock,
  isToolUseBlock,
} from '@bough/core';
import type { Namespace } from '../metadata/index.ts';
import { reasoningBlock, sealMetadata, sealOf } from '../metadata/index.ts';
import type { Origin } from '../stamp/index.ts';
import { markOf, withStamp } from '../stamp/index.ts';
import type { Part } from './node.ts';
import { DATA_BLOCK, PART } from './node.ts';

export interface Result {
  readonly text: string;
  readonly isError: boolean;
}

/** What one part says, between the two formats: a part on one side, a block with its companions on the other. */
export type Unit =
  | { readonly kind: 'text'; readonly text: string; readonly signature: string | null }
  | { readonly kind: 'reasoning'; readonly block: ContentBlock }
  | { readonly kind: 'tool'; readonly call: ToolUseBlock; readonly signature: string | null }
  | { readonly kind: 'block'; readonly block: ContentBlock }
  | { readonly kind: 'part'; readonly part: Part };

/** `namespace` is that of the reply: only Gemini puts a signature after a text or a call. */
export function unitOfPart(part: Part, namespace: Namespace): { readonly unit: Unit; readonly result: Result | null } {
  if (part.type === 'text' && typeof part['text'] === 'string') {
    const signature = signatureBehind(part['providerMetadata'], namespace);
    return { unit: { kind: 'text', text: part['text'], signature }, result: null };
  }
  if (part.type === 'reasoning' && typeof part['text'] === 'string') {
    return { unit: { kind: 'reasoning', block: reasoningBlock(part['text'], part['providerMetadata']) }, result: null };
  }
  const { data } = part;
  if (part.type === DATA_BLOCK && isPlainObject(data) && typeof data['type'] === 'string') {
    return { unit: { kind: 'block', block: { ...data, type: data['type'] } }, result: null };
  }
  const call = callOf(part);
  if (call === null) return { unit: { kind: 'part', part }, result: null };
  const signature = signatureBehind(part['callProviderMetadata'], namespace);
  return { unit: { kind: 'tool', call, signature }, result: resultOf(part) };
}

/**
 * The call of a tool part. One that is still being written, or that the provider runs itself, is not a call for Bough.
 */
function callOf(part: Part): ToolUseBlock | null {
  const { toolCallId: id, input, state, providerExecuted } = part;
  const name = part.type === 'dynamic-tool' ? part['toolName'] : /^tool-(.+)$/s.exec(part.type)?.[1];
  if (typeof name !== 'string' || typeof id !== 'string' || id === '') return null;
  if (providerExecuted === true || typeof state !== 'string' || state === 'input-streaming') return null;
  return { type: 'tool-use', id, name, parameters: isPlainObject(input) ? input : {} };
}

function resultOf(part: Part): Result | null {
  const { state, output, errorText, approval } = part;
  switch (state) {
    case 'output-available':
      return { text: typeof output === 'string' ? output : (JSON.stringify(output) ?? ''), isError: false };
    case 'output-error':
      return { text: typeof errorText === 'string' ? errorText : '', isError: true };
    case 'output-denied': {
      const reason = isPlainObject(approval) ? approval['reason'] : undefined;
      return { text: typeof reason === 'string' ? reason : 'The tool was not allowed to run.', isError: true };
    }
    default:
      return null;
  }
}

export function blocksOfUnit(unit: Unit): readonly ContentBlock[] {
  switch (unit.kind) {
    case 'text':
      return [{ type: 'text', text: unit.text }, ...signatureBlock(unit.signature)];
    case 'tool':
      return [unit.call, ...signatureBlock(unit.signature)];
    case 'reasoning':
    case 'block':
      return [unit.block];
    case 'part':
      return [{ type: PART, part: unit.part }];
  }
}

export function unitOfBlock(block: ContentBlock): Unit {
  if (isTextBlock(block)) return { kind: 'text', text: block.text, signature: null };
  if (isToolUseBlock(block)) return { kind: 'tool', call: block, signature: null };
  if (isThinkingBlock(block) || isRedactedThinkingBlock(block) || isThinkingSignatureBlock(block)) {
    return { kind: 'reasoning', block };
  }
  const part: unknown = block.type === PART && 'part' in block ? block['part'] : undefined;
  if (isPlainObject(part) && typeof part['type'] === 'string') {
    return { kind: 'part', part: { ...part, type: part['type'] } };
  }
  return { kind: 'block', block };
}

/** Gemini signs a text or a call; the signature comes after it. */
export function withSignature(unit: Unit, signature: string): Unit | null {
  return (unit.kind === 'text' || unit.kind === 'tool') && unit.signature === null ? { ...unit, signature } : null;
}

/** Writes the parts of one reply, as the AI SDK would have written them, stamped with who made them. */
export class PartWriter {
  readonly #origin: Origin | null;
  readonly #namespace: Namespace;
  readonly #thoughts: string[] = [];
  #next = 0;

  constructor(origin: Origin | null, namespace: Namespace) {
    this.#origin = origin;
    this.#namespace = namespace;
  }

  write(unit: Unit, result: Result | null): Part {
    switch (unit.kind) {
      case 'text': {
        const metadata = this.#stamped(signatureMetadata(unit.signature), unit.text !== '');
        return { type: 'text', text: unit.text, state: 'done', ...(metadata && { providerMetadata: metadata }) };
      }
      case 'reasoning': {
        const text = isThinkingBlock(unit.block) ? unit.block.thinking : '';
        const seal = this.#sealOf(unit.block);
        this.#thoughts.push(markOf(text, seal));
        const metadata = this.#stamped(seal, true);
        return { type: 'reasoning', text, state: 'done', ...(metadata && { providerMetadata: metadata }) };
      }
      case 'tool': {
        const { id, name, parameters } = unit.call;
        const metadata = this.#stamped(signatureMetadata(unit.signature), true);
        return {
          type: `tool-${name}`,
          toolCallId: id,
          input: parameters,
          ...stateOf(result),
          ...(metadata && { callProviderMetadata: metadata }),
        };
      }
      case 'block':
        return { type: DATA_BLOCK, data: unit.block };
      case 'part':
        return unit.part;
    }
  }

  #stamped(metadata: SharedV3ProviderMetadata | undefined, isSaid: boolean): SharedV3ProviderMetadata | undefined {
    const at = this.#next;
    this.#next += 1;
    if (this.#origin === null || !isSaid) return metadata;
    return withStamp(metadata, { ...this.#origin, thoughts: this.#thoughts, at });
  }

  #sealOf(block: ContentBlock): SharedV3ProviderMetadata | undefined {
    if (isRedactedThinkingBlock(block)) {
      return sealMetadata({ namespace: 'anthropic', kind: 'redacted', value: block.data });
    }
    const signature = signatureOf(block);
    if (signature === undefined) return undefined;
    return sealMetadata({ namespace: this.#namespace, kind: 'signature', value: signature });
  }
}

function signatureOf(block: ContentBlock): ThinkingBlock['signature'] {
  return isThinkingBlock(block) || isThinkingSignatureBlock(block) ? block.signature : undefined;
}

function signatureMetadata(signature: string | null): SharedV3ProviderMetadata | undefined {
  return signature === null ? undefined : sealMetadata({ namespace: 'google', kind: 'signature', value: signature });
}

function stateOf(result: Result | null): Omit<Part, 'type'> {
  if (result === null) return { state: 'input-available' };
  return result.isError
    ? { state: 'output-error', errorText: result.text }
    : { state: 'output-available', output: result.text };
}

function signatureBehind(metadata: unknown, namespace: Namespace): string | null {
  const seal = sealOf(metadata);
  return namespace === 'google' && seal?.namespace === 'google' ? seal.value : null;
}

function signatureBlock(signature: string | null): readonly ContentBlock[] {
  return signature === null ? [] : [{ type: 'thinking_signature', signature }];
}
