import type { TreeNode } from '@bough/core';
import { isTextBlock, isThinkingBlock, isToolUseBlock } from '@bough/core';
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseMessage } from '@langchain/core/messages';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { SYSTEM_PROMPT, TOOL } from './conversation.ts';
import { Swallow } from './wire.ts';

/**
 * The conversation as LangChain keeps it: one message per node. Thinking of another provider is not valid Anthropic
 * content.
 */
export function langchainMessages(path: readonly TreeNode[], isOwn: boolean): BaseMessage[] {
  return path.map((node) => {
    if (node.role === 'user') return new HumanMessage(node.content);
    if (node.role === 'tool') return new ToolMessage({ content: node.content, tool_call_id: node.toolCallId ?? '' });
    const calls = node.contentBlocks.filter(isToolUseBlock);
    return new AIMessage({
      content: node.contentBlocks.flatMap((block): { type: string; [key: string]: unknown }[] => {
        if (isTextBlock(block)) return [{ type: 'text', text: block.text }];
        if (isThinkingBlock(block)) {
          return isOwn ? [{ type: 'thinking', thinking: block.thinking, signature: block.signature ?? '' }] : [];
        }
        if (!isToolUseBlock(block)) return [];
        return [{ type: 'tool_use', id: block.id, name: block.name, input: block.parameters }];
      }),
      tool_calls: calls.map(({ id, name, parameters }) => ({ id, name, args: { ...parameters } })),
    });
  });
}

/** From LangChain's messages to the body that is sent. */
export async function bodyByLangchain(messages: BaseMessage[], model: string): Promise<string> {
  const network = new Swallow();
  const chat = new ChatAnthropic({
    model,
    apiKey: 'bench',
    maxTokens: 16_000,
    maxRetries: 0,
    thinking: { type: 'enabled', budget_tokens: 8_000 },
    clientOptions: { fetch: network.fetch },
  }).bindTools([
    { name: TOOL.name, description: TOOL.description, input_schema: { type: 'object', ...TOOL.inputSchema } },
  ]);
  await chat.invoke([new SystemMessage(SYSTEM_PROMPT), ...messages]);
  return network.body;
}
