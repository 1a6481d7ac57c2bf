import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createAnthropic } from '@ai-sdk/anthropic';
import { streamText } from 'ai';
import { answering, bodyOf, listen } from './serving.ts';

/**
 * The AI SDK as its documentation shows it: `streamText`, sent to the page as a UI message stream. Nothing is stored.
 */
const anthropic = createAnthropic({ apiKey: 'simulated', baseURL: `${process.argv[2] ?? ''}/v1` });

async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, prompt } = JSON.parse(await bodyOf(request));
  const result = streamText({
    model: anthropic(model),
    prompt,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 4_096 } } },
  });
  await result.pipeUIMessageStreamToResponse(response, { sendReasoning: true });
}

listen(createServer(answering(chat)));
