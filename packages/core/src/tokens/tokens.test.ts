import { countTokens } from 'gpt-tokenizer';
import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../entities/index.ts';
import { messageOf, textMessage } from '../messages/index.ts';
import { clampMaxTokens, CONSERVATIVE_LIMITS, ContextTooLongError, MaxTokensError } from './clamp.ts';
import { estimateInputTokens, estimateTokens } from './estimate.ts';

const SAMPLES: Record<string, string> = {
  English: `The committee met on Tuesday to discuss the proposal, which had been circulated among the members two weeks earlier.
Although several of them expressed reservations about the cost, the majority agreed that the benefits would outweigh the risks. "We
should not," said one of them, "let the perfect be the enemy of the good." They voted eleven to three in favour in October 2026.`,
  'English, thinking aloud': `Okay, so I need to figure out how the scheduler decides which task runs first. Let me think about this step by
step. First, every task has a priority between 0 and 139; lower numbers win. Hmm, but wait: what happens when two share one?`,
  TypeScript: `export function estimate(text: string): number {
  let tokens = 0;
  for (const character of text) {
    if (isLetter(character)) tokens += 0.25;
    else if (character === '\\n') tokens += 1;
  }
  return Math.ceil(tokens);
}

const handlers: Record<string, (event: MessageEvent) => void> = {
  open: () => console.log('connected'),
  message: ({ data }) => queue.push(JSON.parse(data)),
};
`,
  Python: `import asyncio
from dataclasses import dataclass, field

@dataclass
class Node:
    id: str
    children: list["Node"] = field(default_factory=list)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

async def main():
    root = Node("root", [Node("a"), Node("b", [Node("c")])])
    print(f"{root.id}: {len(root.children)} children")
`,
  JSON: JSON.stringify({
    id: 'toolu_01A09q90qw90lq917835lq9',
    name: 'get_weather',
    parameters: { location: 'San Francisco, CA', days: [1, 2, 3] },
    ok: true,
    value: 12345.678,
  }),
  Chinese: `委员会在星期二开会讨论了这项提案，该提案已在两周前分发给各位委员。虽然其中几位对成本表示保留，但大多数人同意，从长远来看，收益将超过风险。
推理模型会先在内部思考，然后再给出答案。为了让下一次请求不被拒绝，必须把签名原样送回去，一个字节也不能改变。`,
  'Chinese and English mixed': `今天我们用 TypeScript 写一个 parser，它要处理 SSE 事件流。The parser keeps a buffer, 然后 split by newline；如果遇到 "data:" 前缀，就 push 到
events 数组里。Don't forget 处理 UTF-8 的边界问题 (multi-byte characters)。`,
  Emoji: `Great work everyone! 🎉🎉 The release is out 🚀 and users love it ❤️. Thanks 🙏 to the whole team 👩‍💻👨‍💻 — time to celebrate 🥳🍾! 😂😂 👍🏽 ✅ 🔥🔥`,
  'Emoji alone': '🎉🚀❤️🙏👩‍💻👨‍💻🥳🍾🌍😈😂👍🏽✅🔥💡🐛🧪📦',
};

describe('estimateTokens', () => {
  it.each(Object.entries(SAMPLES))('TK-1: within 15 %% of a real tokenizer on %s', (_, text) => {
    const real = countTokens(text);
    const estimated = estimateTokens(text);
    expect(Math.abs(estimated / real - 1), `estimated ${estimated}, really ${real}`).toBeLessThanOrEqual(0.15);
  });

  it('TK-1: nothing costs nothing', () => {
    expect(estimateTokens('')).toBe(0);
  });
});

describe('estimateInputTokens', () => {
  const tool: ToolDefinition = {
    name: 'calculator',
    description: 'Adds numbers.',
    inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
  };
  const bare = { systemPrompt: null, tools: [], messages: [textMessage('user', 'hello')] };

  it('TK-2: counts the system prompt, the tools and every kind of block', () => {
    const base = estimateInputTokens(bare);
    expect(estimateInputTokens({ ...bare, systemPrompt: 'You are terse.' })).toBeGreaterThanOrEqual(base + 4);
    expect(estimateInputTokens({ ...bare, tools: [tool] })).toBeGreaterThan(
      base + estimateTokens(JSON.stringify(tool.inputSchema)),
    );
    for (const block of [
      { type: 'thinking', thinking: 'one two three' },
      { type: 'tool-use', id: 'c', name: 'calculator', parameters: { a: 1 } },
      { type: 'x-future', payload: 'something' },
    ]) {
      expect(estimateInputTokens({ ...bare, messages: [messageOf('assistant', [block])] })).toBeGreaterThan(6);
    }
  });
});

describe('clampMaxTokens', () => {
  const limits = { contextWindow: 1000, maxOutputTokens: 200 };

  it.each([
    ['what is asked for, where it fits', { requested: 50, inputTokens: 100 }, 50],
    ['the output cap', { requested: 500, inputTokens: 100 }, 200],
    ['the whole cap where nothing is asked for', { inputTokens: 100 }, 200],
    ['what the input leaves free', { requested: 150, inputTokens: 900 }, 100],
    ['a whole number', { requested: 12.9, inputTokens: 0 }, 12],
    ['at least one', { requested: -5, inputTokens: 0 }, 1],
    ['at least one when the window is full', { requested: 100, inputTokens: 5000 }, 1],
    ['the cap where the number is none', { requested: Number.NaN, inputTokens: 0 }, 200],
  ])('TK-3: gives %s', (_, input, expected) => {
    expect(clampMaxTokens({ ...input, limits })).toBe(expected);
  });

  it('TK-4: an unknown model gets conservative limits', () => {
    expect(clampMaxTokens({ requested: 1_000_000, inputTokens: 0, limits: null })).toBe(
      CONSERVATIVE_LIMITS.maxOutputTokens,
    );
  });

  it('TK-5: with failEarly a full window is an error that says what to do', () => {
    const attempt = () => clampMaxTokens({ inputTokens: 1000, limits, failEarly: true });
    expect(attempt).toThrow(ContextTooLongError);
    expect(attempt).toThrow(/Shorten/);
    expect(clampMaxTokens({ inputTokens: 999, limits, failEarly: true })).toBe(1);
  });

  it('TK-5: with failEarly, more than the model gives or the input leaves is an error that says how many there are', () => {
    const clamp = (requested: number, inputTokens: number) =>
      clampMaxTokens({ requested, inputTokens, limits, failEarly: true });
    expect(() => clamp(201, 0)).toThrow(MaxTokensError);
    expect(() => clamp(201, 0)).toThrow(/the model gives at most 200/);
    expect(() => clamp(150, 900)).toThrow(/leaves about 100 of the window's 1000/);
    expect(clamp(200, 800)).toBe(200);
    expect(clamp(100, 900)).toBe(100);
  });
});
