import { expect, it } from 'vitest';
import { fold } from './index.ts';
import { answering, checkOutcome } from './outcome.ts';
import { payloadOf } from './payload.ts';
import { readBough } from './readers.ts';

it('reads the same replies with everybody, in every protocol', async () => {
  const results = await fold.run({ quick: true, install: false, scratch: '', progress: () => undefined });
  expect(results.map(({ size }) => size)).toEqual(['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini']);
  for (const { figures, verdicts } of results) {
    expect(figures.map(({ role }) => role)).toEqual(['bough', 'floor', 'peer', 'peer']);
    expect(verdicts).toHaveLength(2);
    for (const { median } of figures) expect(median).toBeGreaterThan(0);
  }
});

it('notices a reply that came out wrong', async () => {
  const payload = payloadOf('anthropic-messages', { thinkingCharacters: 200, textCharacters: 200, calls: 1 });
  const outcome = (await readBough(payload, answering(payload.chunks)))();
  const keeps = ['thinking', 'text', 'calls'] as const;
  expect(() => checkOutcome('Bough', outcome, payload.expected, keeps)).not.toThrow();
  for (const wrong of [
    { ...outcome, thinking: outcome.thinking.slice(1) },
    { ...outcome, text: `${outcome.text}.` },
    { ...outcome, calls: [] },
  ]) {
    expect(() => checkOutcome('Bough', wrong, payload.expected, keeps)).toThrow('came out wrong');
  }
});
