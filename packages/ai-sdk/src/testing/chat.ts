import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { UIMessage } from 'ai';
import { convertToModelMessages, readUIMessageStream, stepCountIs, streamText } from 'ai';
import { pairToolCallsInModelMessages } from '../pairing/index.ts';
import type { Ask } from './lab.ts';
import { calculator } from './lab.ts';

let count = 0;

export const question = (text: string): UIMessage => ({
  id: `user-${(count += 1)}`,
  role: 'user',
  parts: [{ type: 'text', text }],
});

/**
 * A turn of a real application: UI messages in, a streamed reply out, as the UI message that the browser would hold.
 */
export async function chat(
  model: LanguageModelV3,
  messages: readonly UIMessage[],
  { steps = 3, ...settings }: Ask = {},
): Promise<{ readonly reply: UIMessage; readonly errors: readonly unknown[] }> {
  const errors: unknown[] = [];
  const { messages: history } = pairToolCallsInModelMessages(await convertToModelMessages([...messages]));
  const result = streamText({
    model,
    messages: history,
    tools: { calculator },
    stopWhen: stepCountIs(steps),
    maxRetries: 0,
    onError: ({ error }) => {
      errors.push(error);
    },
    ...settings,
  });
  const stream = result.toUIMessageStream({ generateMessageId: () => `reply-${(count += 1)}`, onError: String });
  let reply: UIMessage = { id: '', role: 'assistant', parts: [] };
  for await (const message of readUIMessageStream({ stream })) reply = message;
  return { reply, errors };
}
