import { isPlainObject } from '@bough/core';
import { hasHalfCharacter, withoutHalfCharacters } from '../../../render/half-characters.ts';
import { parseJson } from '../../../render/json-text.ts';
import type { Body, WireBlock } from '../wire.ts';
import { isEffortOnly, messagesOf } from '../wire.ts';
import type { Finding } from '../../../rulebook/rule.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system']);

const messageShape: ClaudeRule = {
  id: 'ANT-SHAPE-1',
  title: '`messages` is a non-empty list of objects with a role and a content; only effort needs no content.',
  reference: DOCS.types,
  kind: 'rejection',
  check: (body) => {
    const messages: unknown = body['messages'];
    if (!Array.isArray(messages)) return [finding('messages', 'messages: Input should be a valid list')];
    const list: readonly unknown[] = messages;
    if (list.length === 0) return [finding('messages', 'messages: at least one message is required')];
    return list.flatMap((message, index) => {
      const path = `messages.${index}`;
      if (!isPlainObject(message)) return [finding(path, `${path}: Input does not match the expected shape.`)];
      if (!ROLES.has(message['role'])) {
        return [finding(`${path}.role`, `${path}.role: Input should be 'user' or 'assistant'`)];
      }
      if (isEffortOnly(message)) return [];
      const content: unknown = message['content'];
      if (content === undefined) return [finding(`${path}.content`, `${path}.content: Field required`)];
      if (typeof content === 'string') return [];
      if (!Array.isArray(content)) return [finding(`${path}.content`, `${path}.content: Input should be a valid list`)];
      const blocks: readonly unknown[] = content;
      return blocks.flatMap((block, at) =>
        isPlainObject(block) && typeof block['type'] === 'string'
          ? []
          : [finding(`${path}.content.${at}`, `${path}.content.${at}: Input does not match the expected shape.`)],
      );
    });
  },
};

function eachBlock(body: Body, type: string, check: (block: WireBlock) => readonly string[]) {
  return messagesOf(body)
    .flatMap((message) => message.blocks)
    .filter((block) => block.type === type)
    .flatMap((block) => check(block).map((problem) => finding(block.path, `${block.path}.${type}.${problem}`)));
}

const missing = (block: WireBlock, key: string): readonly string[] =>
  typeof block.value[key] === 'string' ? [] : [`${key}: Field required`];

const thinkingText: ClaudeRule = {
  id: 'ANT-SHAPE-2',
  title: 'A thinking block carries its text, also where that is empty.',
  reference: 'https://github.com/LibreChat-AI/agents/pull/279',
  kind: 'rejection',
  check: (body) => eachBlock(body, 'thinking', (block) => missing(block, 'thinking')),
};

const thinkingSignature: ClaudeRule = {
  id: 'ANT-SHAPE-3',
  title: 'A thinking block carries its signature; one without a signature is not sent.',
  reference: 'https://github.com/anomalyco/opencode/issues/25005',
  kind: 'rejection',
  check: (body) => eachBlock(body, 'thinking', (block) => missing(block, 'signature')),
};

const redactedData: ClaudeRule = {
  id: 'ANT-SHAPE-4',
  title: 'A redacted thinking block carries its data.',
  reference: DOCS.thinking,
  kind: 'rejection',
  check: (body) => eachBlock(body, 'redacted_thinking', (block) => missing(block, 'data')),
};

const REASONING_KEYS: Readonly<Record<string, ReadonlySet<string>>> = {
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
};

const bareReasoning: ClaudeRule = {
  id: 'ANT-SHAPE-5',
  title: 'Thinking blocks carry nothing that they did not come with, no cache mark either.',
  reference: 'https://github.com/UKGovernmentBEIS/inspect_ai/pull/3967',
  kind: 'rejection',
  check: (body) =>
    Object.entries(REASONING_KEYS).flatMap(([type, known]) =>
      eachBlock(body, type, (block) =>
        Object.keys(block.value)
          .filter((key) => !known.has(key))
          .map((key) => `${key}: Extra inputs are not permitted`),
      ),
    ),
};

const wellFormedText: ClaudeRule = {
  id: 'ANT-SHAPE-6',
  title: 'No text holds half of a surrogate pair.',
  reference: 'https://github.com/anthropics/claude-code/issues/60394',
  kind: 'rejection',
  check: (body) =>
    hasHalfCharacter(JSON.stringify(body))
      ? [finding('', 'The request body is not valid JSON: no low surrogate in string')]
      : [],
  repair: (body) => {
    const repaired = parseJson(withoutHalfCharacters(JSON.stringify(body)));
    return isPlainObject(repaired) ? repaired : body;
  },
};

const blockBinding: ClaudeRule = {
  id: 'ANT-SHAPE-7',
  title: '`thinking.block_binding` needs its beta header, and a mode in which the model thinks as it likes.',
  reference: DOCS.preserved,
  kind: 'rejection',
  check: (body, { betas }) => {
    const thinking = body['thinking'];
    if (!isPlainObject(thinking) || !('block_binding' in thinking)) return [];
    const type = typeof thinking['type'] === 'string' ? thinking['type'] : '';
    const allowed =
      betas.includes('thinking-binding-controls-2026-08-01') && (type === 'adaptive' || type === 'enabled');
    const path = `thinking.${type}.block_binding`;
    return allowed ? [] : [finding(path, `${path}: Extra inputs are not permitted`)];
  },
  repair: (body) => {
    const thinking = body['thinking'];
    if (!isPlainObject(thinking)) return body;
    const { block_binding: _, ...rest } = thinking;
    return { ...body, thinking: rest };
  },
};

const searchResults: ClaudeRule = {
  id: 'ANT-SHAPE-8',
  title: 'What a web search found goes back with its encrypted content, and a citation of it with its encrypted index.',
  reference: DOCS.webSearch,
  kind: 'rejection',
  check: (body) =>
    messagesOf(body)
      .flatMap((message) => message.blocks)
      .flatMap((block) => [
        ...unsealed(block, 'content', 'web_search_result', 'encrypted_content'),
        ...unsealed(block, 'citations', 'web_search_result_location', 'encrypted_index'),
      ]),
};

/** The entries of this type, in a list of the block, that lack the key which only the provider can write. */
function unsealed({ value, type, path }: WireBlock, list: string, entry: string, key: string): readonly Finding[] {
  const entries: unknown = value[list];
  const all: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return all.flatMap((found, at) => {
    if (!isPlainObject(found) || found['type'] !== entry || typeof found[key] === 'string') return [];
    const place = `${path}.${type}.${list}.${at}.${key}`;
    return [finding(place, `${place}: Field required`)];
  });
}

export const shapeRules: readonly ClaudeRule[] = [
  messageShape,
  thinkingText,
  thinkingSignature,
  redactedData,
  bareReasoning,
  wellFormedText,
  blockBinding,
  searchResults,
];
