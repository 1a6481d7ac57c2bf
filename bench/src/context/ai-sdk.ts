import { createAnthropic } from '@ai-sdk/anthropic';
import type { TreeNode } from '@bough/core';
import { isTextBlock, isThinkingBlock, isToolUseBlock } from '@bough/core';
import type { UIMessage } from 'ai';
import { convertToModelMessages } from 'ai';
import { SYSTEM_PROMPT, TOOL } from './conversation.ts';
import { Swallow } from './wire.ts';

type Part = UIMessage['parts'][number];

/** The conversation as the AI SDK's own chat keeps it: one message per side and turn. */
export function uiMessages(path: readonly TreeNode[], isOwn: boolean): UIMessage[] {
  const results = new Map(
    path.flatMap(({ role, toolCallId, content }) => (role === 'tool' ? [[toolCallId, content]] : [])),
  );
  const messages: UIMessage[] = [];
  for (const node of path) {
    if (node.role === 'tool') continue;
    const parts = node.contentBlocks.flatMap((block): Part[] => {
      if (isTextBlock(block)) return [{ type: 'text', text: block.text }];
      if (isThinkingBlock(block)) {
        const { thinking: text, signature = '' } = block;
        return [{ type: 'reasoning', text, providerMetadata: isOwn ? { anthropic: { signature } } : { openai: {} } }];
      }
      if (!isToolUseBlock(block)) return [];
      const { id: toolCallId, name: toolName, parameters: input } = block;
      const output = results.get(toolCallId) ?? '';
      return [{ type: 'dynamic-tool', toolName, toolCallId, state: 'output-available', input, output }];
    });
    const last = messages.at(-1);
    if (node.role === 'assistant' && last?.role === 'assistant') last.parts.push({ type: 'step-start' }, ...parts);
    else messages.push({ id: node.id, role: node.role === 'user' ? 'user' : 'assistant', parts });
  }
  return messages;
}

/** From UI messages to the body that is sent. */
export async function bodyByAiSdk(messages: UIMessage[], model: string): Promise<string> {
  const network = new Swallow();
  const provider = createAnthropic({ apiKey: 'bench', baseURL: 'http://127.0.0.1:9/v1', fetch: network.fetch });
  const converted = await convertToModelMessages(messages);
  await provider(model).doGenerate({
    // The converted messages are the prompt that a provider takes, except that a string can stand for a single text.
    prompt: [{ role: 'system', content: SYSTEM_PROMPT }, ...converted.map((message) => promptOf(message))],
    maxOutputTokens: 32_000,
    tools: [{ type: 'function', name: TOOL.name, description: TOOL.description, inputSchema: { ...TOOL.inputSchema } }],
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 8_000 } } },
  });
  return network.body;
}

type Converted = Awaited<ReturnType<typeof convertToModelMessages>>[number];
type Prompt = Parameters<ReturnType<ReturnType<typeof createAnthropic>>['doGenerate']>[0]['prompt'][number];

function promptOf(message: Converted): Prompt {
  if (typeof message.content === 'string') throw new Error(`A ${message.role} message came out as a string.`);
  return message as Prompt;
}
