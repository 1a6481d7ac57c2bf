import type { ToolDefinition } from '@bough/core';
import type { ChatMessage } from './messages.ts';
import type { DatasetShape, Tally } from './options.ts';
import type { Sample } from './samples.ts';

/** A line of the data. Its fields, and no others, are what programs that train models expect. */
export type Row = Readonly<Record<string, unknown>>;

export function rowOf(shape: DatasetShape, sample: Sample, tally: Tally): Row {
  const { prompt, reply, rejected } = sample;
  const tools = sample.tools.length === 0 ? {} : { tools: sample.tools.map(toolOf) };
  switch (shape) {
    case 'messages':
      return { messages: [...prompt.messages, ...reply.messages], ...tools };
    case 'prompt-completion':
      return { prompt: prompt.messages, completion: reply.messages, ...tools };
    case 'preference':
      return { prompt: prompt.messages, chosen: reply.messages, rejected: rejected?.messages ?? [], ...tools };
    case 'sharegpt':
      return {
        conversations: turnsOf([...prompt.messages, ...reply.messages], sample, tally),
        ...(sample.tools.length > 0 && { tools: JSON.stringify(sample.tools.map((tool) => toolOf(tool).function)) }),
      };
  }
}

const toolOf = ({ name, description, inputSchema }: ToolDefinition) => ({
  type: 'function' as const,
  function: { name, description, parameters: inputSchema },
});

interface Said {
  readonly from: 'system' | 'human' | 'gpt' | 'function_call' | 'observation';
  readonly value: string;
}

const FROM = { system: 'system', user: 'human', assistant: 'gpt', tool: 'observation' } as const;

/** People and results alternate with the model there; what would break that has no place. */
function turnsOf(messages: readonly ChatMessage[], { reply }: Sample, tally: Tally): readonly Said[] {
  const said: Said[] = [];
  let results: string[] = [];
  const observe = (): void => {
    const [only] = results;
    if (only !== undefined)
      said.push({ from: 'observation', value: results.length === 1 ? only : JSON.stringify(results) });
    results = [];
  };
  const end = reply.nodes.at(-1) ?? '';
  for (const [place, { role, content, tool_calls: calls }] of messages.entries()) {
    const text = typeof content === 'string' ? content : '';
    if (role === 'tool') {
      results.push(text);
      continue;
    }
    observe();
    if (role === 'system' && place > 0) tally.part('later_system_messages', `${end} ${place}`);
    else if (calls === undefined) said.push({ from: FROM[role], value: text });
    else {
      if (text !== '') tally.part('text_beside_tool_calls', calls[0]?.id ?? end);
      const called = calls.map(({ function: { name, arguments: given } }) => ({
        name,
        arguments: JSON.parse(given) as unknown,
      }));
      said.push({ from: 'function_call', value: JSON.stringify(called.length === 1 ? called[0] : called) });
    }
  }
  observe();
  return said;
}
