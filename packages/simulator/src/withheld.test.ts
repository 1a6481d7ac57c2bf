import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from './server.ts';
import { startSimulator } from './server.ts';

type Json = Record<string, unknown>;

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'withheld' });
});
afterAll(() => simulator.close());

async function post(path: string, body: Json): Promise<Json> {
  const response = await fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as Json;
}

/** What the next request is told to have left out. */
async function withheldFrom(path: string, body: Json): Promise<readonly string[]> {
  simulator.clearLog();
  await post(path, body);
  return simulator.log().flatMap(({ withheld }) => withheld ?? []);
}

const user = (content: string): Json => ({ role: 'user', content });

describe('SIM-16: reasoning that a client leaves out although it would have been taken is told', () => {
  it.each([
    ['claude-opus-5', 2, 2],
    ['claude-fable-5-2', 2, 0],
  ])('SIM-16: of %s: %i blocks, and %i behind another prompt', async (model, same, other) => {
    const settings = { model, max_tokens: 2000, thinking: { type: 'adaptive' }, system: 'Be brief.' };
    const { content } = (await post('/v1/messages', { ...settings, messages: [user('What is a tree?')] })) as {
      content: Json[];
    };
    const spoken = content.filter(({ type }) => type === 'text');
    const messages = (reply: readonly Json[]) => [
      user('What is a tree?'),
      { role: 'assistant', content: reply },
      user('And?'),
    ];
    expect(await withheldFrom('/v1/messages', { ...settings, messages: messages(content) })).toEqual([]);
    expect(await withheldFrom('/v1/messages', { ...settings, messages: messages(spoken) })).toHaveLength(same);
    const changed = { ...settings, system: 'Be long.', messages: messages(spoken) };
    expect(await withheldFrom('/v1/messages', changed)).toHaveLength(other);
  });

  it('SIM-16: of GPT, by whichever of its models it was thought', async () => {
    const settings = { store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'medium' } };
    const { output } = (await post('/v1/responses', { model: 'gpt-5.5', ...settings, input: [user('Hi')] })) as {
      output: Json[];
    };
    const bare = output.flatMap(({ type, content, role, phase }) =>
      type === 'message' ? [{ type, role, content, phase }] : [],
    );
    for (const model of ['gpt-5.5', 'gpt-6.1-sol']) {
      const asked = (items: readonly Json[]) => ({ model, ...settings, input: [user('Hi'), ...items, user('And?')] });
      expect(await withheldFrom('/v1/responses', asked(output))).toEqual([]);
      expect(await withheldFrom('/v1/responses', asked(bare))).toHaveLength(1);
    }
  });
});
