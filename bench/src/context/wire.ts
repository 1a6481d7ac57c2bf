import { isPlainObject } from '@bough/core';

/** A network that swallows requests: it keeps the newest body, and answers with a word. */
export class Swallow {
  body = '';

  readonly fetch: typeof globalThis.fetch = (_, init) => {
    this.body = typeof init?.body === 'string' ? init.body : '';
    return Promise.resolve(new Response(ANSWER, { headers: { 'content-type': 'application/json' } }));
  };
}

const ANSWER = JSON.stringify({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'sim-thinker',
  content: [{ type: 'text', text: 'Yes.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

/** What a request says, whoever wrote it: the contents of its blocks by kind, each in order. */
export interface Said {
  readonly user: readonly string[];
  readonly assistant: readonly string[];
  readonly signatures: readonly string[];
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

export function saidIn(body: string): Said {
  const said: Record<keyof Said, string[]> = { user: [], assistant: [], signatures: [], calls: [], results: [] };
  const { messages } = JSON.parse(body) as { messages: readonly { role: 'user' | 'assistant'; content: unknown }[] };
  for (const { role, content } of messages) {
    for (const block of blocksOf(content)) {
      if (block['type'] === 'text') said[role].push(String(block['text']));
      if (block['type'] === 'thinking')
        said.signatures.push(`${String(block['thinking'])} ${String(block['signature'])}`);
      if (block['type'] === 'tool_use') said.calls.push(`${String(block['id'])} ${JSON.stringify(block['input'])}`);
      if (block['type'] === 'tool_result')
        said.results.push(
          blocksOf(block['content'])
            .map((part) => part['text'])
            .join(),
        );
    }
  }
  return said;
}

function blocksOf(content: unknown): readonly Record<string, unknown>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

/** Whether every one of these texts appears in the others, in this order. */
export function tells(said: readonly string[], expected: readonly string[]): boolean {
  const all = said.join('\n');
  let from = 0;
  return expected.every((text) => {
    const at = all.indexOf(text, from);
    from = at + text.length;
    return at >= 0;
  });
}
