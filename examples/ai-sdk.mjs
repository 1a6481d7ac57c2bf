// With the Vercel AI SDK: a conversation that changes models in the middle of a tool call.
// Run it in the repository's root, after `npm ci && npm run build`: node examples/ai-sdk.mjs
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { boughReplay } from '@bough/ai-sdk';
import { startSimulator } from '@bough/simulator';
import { generateText, jsonSchema, tool, wrapLanguageModel } from 'ai';

// It plays both vendors by their own rules. Without these addresses, the real ones would be called.
const simulator = await startSimulator();
const settings = { apiKey: 'any', baseURL: `${simulator.url}/v1` };
const gpt = createOpenAI(settings).responses('gpt-5');
const claude = createAnthropic(settings)('claude-opus-4-5');

const reports = [];
const withBough = (model) =>
  wrapLanguageModel({ model, middleware: boughReplay({ onReport: (report) => reports.push(report) }) });

const ask = (model, messages) =>
  generateText({
    model,
    messages,
    maxRetries: 0,
    maxOutputTokens: 8_000,
    providerOptions: {
      openai: { store: false, reasoningSummary: 'auto' },
      anthropic: { thinking: { type: 'enabled', budgetTokens: 2_048 } },
    },
    tools: {
      calculator: tool({
        description: 'Evaluates an expression.',
        inputSchema: jsonSchema({
          type: 'object',
          properties: { expression: { type: 'string' } },
          required: ['expression'],
        }),
        execute: async ({ expression }) => `the value of ${expression}`,
      }),
    },
  });

try {
  // GPT thinks and calls the calculator; Claude is to answer with the result.
  const question = { role: 'user', content: 'What is 6 × 7? /sim think 1 /sim tools calculator' };
  const { response } = await ask(withBough(gpt), [question]);
  const history = [question, ...response.messages];

  const refusal = await ask(claude, history).then(
    () => 'accepted',
    (error) => error.message,
  );
  console.log(`without Bough: ${refusal}`);

  const { text } = await ask(withBough(claude), history);
  console.log(`with Bough: ${text.split('\n')[0]}`);
  for (const { fidelity, reasons } of reports.at(-1).messages)
    console.log(`  ${fidelity}${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}`);
} finally {
  await simulator.close();
}
