import type { RawResponse } from '@bough/core';
import { createNode, nodeId, projectId } from '@bough/core';
import { anyPath } from '@bough/testkit';
import type { UIMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyUIMessages } from '../testing/ui-arbitraries.ts';
import type { HistoryNode } from './index.ts';
import { fromUIMessages, toUIMessages } from './index.ts';

/** As a database or a browser returns it. */
const stored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

const carried = ({
  id,
  role,
  contentBlocks,
  toolCallId,
  provider,
  modelUsed,
  madeWith,
  isError,
  interrupted,
}: HistoryNode) => ({
  id,
  role,
  contentBlocks,
  toolCallId,
  provider,
  modelUsed,
  madeWith,
  isError,
  interrupted,
});

const PLAIN = { toolCallId: null, provider: null, modelUsed: null, madeWith: null, isError: false, interrupted: false };
const node = (id: string, more: Pick<HistoryNode, 'role' | 'contentBlocks'> & Partial<HistoryNode>): HistoryNode => ({
  ...PLAIN,
  id,
  ...more,
});

describe('nodes to messages and back', () => {
  it('AIS-1: gives back the same nodes, whatever they hold and whoever made them', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        expect(fromUIMessages(stored(toUIMessages(path)))).toEqual(stored(path.map(carried)));
      }),
      { numRuns: 3000 },
    );
  });

  it('AIS-1: a reply with its tools is one message, and its signature is where its provider keeps it', () => {
    const origin = { provider: 'anthropic', modelUsed: 'claude-opus-4-5' };
    const messages = toUIMessages([
      node('u', { role: 'user', contentBlocks: [{ type: 'text', text: 'Add.' }] }),
      node('a', {
        role: 'assistant',
        ...origin,
        contentBlocks: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'redacted_thinking', data: 'sealed' },
          { type: 'tool-use', id: 'call-1', name: 'calculator', parameters: { expression: '1+1' } },
        ],
      }),
      node('t', { role: 'tool', toolCallId: 'call-1', contentBlocks: [{ type: 'text', text: '2' }] }),
      node('b', { role: 'assistant', ...origin, contentBlocks: [{ type: 'text', text: 'It is 2.' }] }),
    ]);
    expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['step-start', 'reasoning', 'reasoning', 'tool-calculator', 'step-start', 'text']],
    ]);
    expect(messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'Hm.', providerMetadata: { anthropic: { signature: 'sig' }, bough: { model: 'claude-opus-4-5' } } },
      { providerMetadata: { anthropic: { redactedData: 'sealed' } } },
      { state: 'output-available', output: '2', input: { expression: '1+1' } },
      { type: 'step-start' },
      { text: 'It is 2.', state: 'done' },
    ]);
  });

  it.each([
    ['openai_responses', { type: 'thinking_signature', signature: 'E' }, 'openai', 'reasoningEncryptedContent'],
    ['gemini', { type: 'thinking', thinking: 'Hm.', signature: 'E' }, 'google', 'thoughtSignature'],
  ] as const)('AIS-2: %s: sealed reasoning stands under its provider’s own name', (provider, block, namespace, key) => {
    const nodes = [node('a', { role: 'assistant', provider, modelUsed: 'm', contentBlocks: [block] })];
    expect(toUIMessages(nodes)[0]?.parts[1]).toMatchObject({
      type: 'reasoning',
      providerMetadata: { [namespace]: { [key]: 'E' } },
    });
    expect(fromUIMessages(toUIMessages(nodes))).toEqual(nodes);
  });

  it('AIS-2: of several summaries of one item of OpenAI, only the last carries what can be sent back', () => {
    const summary = (text: string, sealed: string) => ({
      type: 'reasoning' as const,
      text,
      state: 'done' as const,
      providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: sealed } },
    });
    const messages: UIMessage[] = [
      {
        id: 'm',
        role: 'assistant',
        parts: [{ type: 'step-start' }, summary('One.', 'early'), summary('Two.', 'final')],
      },
    ];
    const thoughts = fromUIMessages(messages)[0]?.contentBlocks.filter(({ type }) => type === 'thinking');
    expect(thoughts).toEqual([
      { type: 'thinking', thinking: 'One.' },
      { type: 'thinking', thinking: 'Two.', signature: 'final' },
    ]);
    expect(toUIMessages(fromUIMessages(messages))).toEqual(messages);
  });

  it('AIS-2: Gemini’s signature stands on the call that it signs', () => {
    const call = { type: 'tool-use', id: 'c', name: 'f', parameters: {} };
    const nodes = [
      node('a', {
        role: 'assistant',
        provider: 'gemini',
        modelUsed: 'gemini-3.8-flash',
        contentBlocks: [call, { type: 'thinking_signature', signature: 'S' }],
      }),
    ];
    expect(toUIMessages(nodes)[0]?.parts[1]).toMatchObject({
      callProviderMetadata: { google: { thoughtSignature: 'S' } },
    });
    expect(fromUIMessages(toUIMessages(nodes))).toEqual(nodes);
  });

  it('AIS-2: a thought that was stored cut comes whole out of its raw response, with its signature', () => {
    const content = [{ type: 'thinking', thinking: 'A long thought.', signature: 'sig' }];
    const raw: RawResponse = {
      api: 'anthropic-messages',
      version: 1,
      provider: 'anthropic',
      deployment: 'anthropic@api.anthropic.com',
      model: 'claude-opus-4-5',
      capturedAt: '',
      complete: true,
      payload: { response: JSON.stringify({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn' }) },
    };
    const cut = node('a', {
      role: 'assistant',
      provider: 'anthropic',
      modelUsed: 'claude-opus-4-5',
      contentBlocks: [{ type: 'thinking', thinking: 'A long' }],
    });
    const [message] = toUIMessages([cut], { rawOf: (id) => (id === 'a' ? raw : undefined) });
    expect(message?.parts[1]).toMatchObject({
      text: 'A long thought.',
      providerMetadata: { anthropic: { signature: 'sig' } },
    });
  });

  it('AIS-3: parts that were edited count, and what was kept beside them does not', () => {
    const nodes = [
      node('a', { role: 'assistant', contentBlocks: [{ type: 'thinking', thinking: '' }] }),
      node('t', { role: 'tool', toolCallId: 'nobody', contentBlocks: [{ type: 'text', text: 'lost' }] }),
    ];
    const [message] = toUIMessages(nodes);
    if (message === undefined) return expect.unreachable();
    expect(fromUIMessages([message])).toEqual(nodes);
    const edited: UIMessage = { ...message, parts: [{ type: 'text', text: 'Edited.', state: 'done' }] };
    expect(JSON.stringify(fromUIMessages([edited]))).toContain('Edited.');
    expect(JSON.stringify(fromUIMessages([edited]))).not.toContain('lost');
  });
});

describe('messages to nodes and back', () => {
  it('AIS-4: gives back the same messages, whatever their parts and states', () => {
    fc.assert(
      fc.property(anyUIMessages, (messages) => {
        expect(stored(toUIMessages(stored(fromUIMessages(messages))))).toEqual(stored(messages));
      }),
      { numRuns: 300 },
    );
  });

  it('AIS-5: every node is one that Bough can store', () => {
    fc.assert(
      fc.property(anyUIMessages, (messages) => {
        for (const { id, ui: _, ...rest } of fromUIMessages(messages)) {
          createNode({ ...rest, id: nodeId(id), projectId: projectId('p'), parentId: null, createdAt: '' });
        }
      }),
    );
  });

  it('AIS-6: parts that Bough has no block for are custom blocks, and an interrupted reply says so', () => {
    const [reply] = fromUIMessages([
      {
        id: 'm',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'source-url', sourceId: 's', url: 'https://example.org' },
          { type: 'text', text: 'Half a sen', state: 'streaming' },
        ],
      },
    ]);
    expect(reply?.interrupted).toBe(true);
    expect(reply?.contentBlocks).toEqual([
      { type: 'ui_part', part: { type: 'source-url', sourceId: 's', url: 'https://example.org' } },
      { type: 'text', text: 'Half a sen' },
      { type: 'ui_rest', set: { state: 'streaming' }, unset: [] },
    ]);
  });
});
