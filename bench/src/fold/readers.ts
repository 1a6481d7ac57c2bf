import { canonicalBlocks, createNode, nodeId, projectId, ReplyFold, thinkingOf } from '@bough/core';
import { isTextBlock, isThinkingBlock, isToolUseBlock } from '@bough/core';
import { createParser } from 'eventsource-parser';
import type { Outcome } from './outcome.ts';
import type { Payload } from './payload.ts';

/** Reads a whole reply from the network and returns a way to inspect the result. */
export type Reader = (payload: Payload, fetch: typeof globalThis.fetch) => Promise<() => Outcome>;

/** Bytes to events to values, and nothing is done with them: the minimum that nobody can avoid. */
export const readFloor: Reader = async (payload, fetch) => {
  const { body } = await fetch(payload.request.url, { method: 'POST', body: payload.request.body });
  const decoder = new TextDecoder();
  let events = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== '[DONE]' && JSON.parse(data) !== null) events += 1;
      else if (data === '[DONE]') events += 1;
    },
  });
  const reader = body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
    parser.feed(decoder.decode(read.value, { stream: true }));
  if (events !== payload.events) throw new Error(`The floor saw ${events} of ${payload.events} events.`);
  return () => payload.expected;
};

/** What the engine does with a reply: raw is kept, events are folded, the reply's node is made. */
export const readBough: Reader = async (payload, fetch) => {
  const reply = payload.provider(fetch).send(payload.request, { signal: new AbortController().signal });
  const fold = new ReplyFold();
  for await (const batch of reply.batches) for (const event of batch.events) fold.push(event);
  const folded = fold.result();
  const raw = reply.raw();
  const { blocks, truncated } = canonicalBlocks(folded.blocks);
  const node = createNode({
    id: nodeId('reply'),
    projectId: projectId('bench'),
    parentId: nodeId('question'),
    role: 'assistant',
    contentBlocks: blocks,
    provider: raw.provider,
    modelUsed: raw.model,
    thinking: thinkingOf(blocks, 'full', truncated),
    createdAt: raw.capturedAt,
  });
  return () => {
    if (!raw.complete || folded.stop !== 'tool_use') throw new Error('Bough took a whole reply for a broken one.');
    return {
      thinking: node.contentBlocks
        .filter(isThinkingBlock)
        .map((block) => block.thinking)
        .join(''),
      text: node.contentBlocks
        .filter(isTextBlock)
        .map((block) => block.text)
        .join(''),
      calls: node.contentBlocks.filter(isToolUseBlock).map(({ name, parameters }) => ({ name, parameters })),
    };
  };
};
