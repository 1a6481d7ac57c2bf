import { describe, expect, it } from 'vitest';
import { deepseek } from '../../../deployments/deepseek.ts';
import { groq } from '../../../deployments/groq.ts';
import { mistral } from '../../../deployments/mistral.ts';
import { moonshot } from '../../../deployments/moonshot.ts';
import { ollama } from '../../../deployments/ollama.ts';
import { openai } from '../../../deployments/openai.ts';
import { openrouter } from '../../../deployments/openrouter.ts';
import { xai } from '../../../deployments/xai.ts';
import { preflight } from '../../../rulebook/rule.ts';
import { quirksOf } from '../traits.ts';
import type { Json } from '../response/json.ts';
import { check, RULES } from './index.ts';
import type { Case } from './cases/index.ts';
import { ask, call, calling, CASES, chat, llamacpp, qwen, result, say } from './cases/index.ts';

const modelOf = ({ server, model }: Case) => server.modelInfo(model ?? server.defaultModel);

const found = (entry: Case, body: Json) =>
  check({ model: modelOf(entry).id, ...body }, modelOf(entry), entry.server).filter(({ rule }) => rule === entry.rule);

describe.each(CASES.map((entry) => [`${entry.rule}: ${entry.server.id}, ${entry.says}`, entry] as const))(
  '%s',
  (_, entry) => {
    it('lets the right body pass', () => {
      expect(found(entry, entry.passes)).toEqual([]);
    });

    it('refuses the wrong one in the provider’s words', () => {
      const [first] = found(entry, entry.fails);
      expect(first?.message.startsWith(entry.says)).toBe(true);
      expect(first?.status).toBe(entry.rule.startsWith('OAC-LOSS') ? 200 : (entry.status ?? 400));
    });

    it('is healed by its repair, or has none', () => {
      const context = { quirks: quirksOf(entry.server, modelOf(entry)), model: modelOf(entry) };
      const rule = RULES.filter(({ id }) => id === entry.rule);
      const { body, violations } = preflight(rule, entry.fails, context);
      expect(violations.every(({ repaired }) => repaired)).toBe(entry.repairs ?? true);
      expect(rule[0]?.check(body, context).length === 0).toBe(entry.repairs ?? true);
    });
  },
);

describe('the rulebook', () => {
  it('OAC-19: every rule has a case, an id of its own, and says where it comes from', () => {
    expect(new Set(CASES.map(({ rule }) => rule))).toEqual(new Set(RULES.map(({ id }) => id)));
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
    for (const { reference } of RULES) expect(reference).toMatch(/^https:\/\//);
  });

  it('OAC-19: repairs of one request work together', () => {
    const context = {
      quirks: quirksOf(mistral, mistral.modelInfo('mistral-small-latest')),
      model: mistral.modelInfo('mistral-small-latest'),
    };
    const broken = chat(
      { ...say, content: null },
      ask,
      calling([call('call_1', { extra_content: {} }), call('call_2')], { reasoning_content: 'Hm.' }),
      result('call_1'),
      result('call_1'),
      ask,
      result('nobody'),
      say,
    );
    const healed = preflight(RULES, { ...broken, max_completion_tokens: 9, stream_options: {} }, context).body;
    expect(check(healed, context.model, mistral)).toEqual([]);
  });

  it('OAC-PARAM-13: OpenAI takes its own cache parameters, and OpenRouter takes an empty text beside calls', () => {
    const cached = { model: 'gpt-5.1', ...chat(ask), prompt_cache_key: 'tree-1' };
    expect(check(cached, openai.modelInfo('gpt-5.1'), openai)).toEqual([]);
    const empty = { model: 'x', ...chat(ask, calling([call()], { content: '' }), result()) };
    expect(check(empty, openrouter.modelInfo('openai/gpt-5.5'), openrouter)).toEqual([]);
  });

  it.each([
    [null],
    [undefined],
    [7],
    ['x'],
    [[]],
    [{ messages: 7 }],
    [{ messages: [null, 7, [], {}, { role: 7 }] }],
    [{ messages: [{ role: 'assistant', tool_calls: 7, content: 7 }, { role: 'tool' }] }],
    [
      {
        messages: [
          { role: 'assistant', tool_calls: [null, {}, { id: 7, function: 7 }], reasoning_details: [null, 7, {}] },
        ],
      },
    ],
    [
      {
        messages: [{ role: 'assistant', content: [null, 7, { type: 'thinking', thinking: 7 }] }],
        tools: [null, {}],
        thinking: 7,
      },
    ],
    [
      {
        messages: {},
        tools: {},
        tool_choice: 7,
        stream_options: 7,
        max_tokens: 'x',
        reasoning_effort: {},
        temperature: null,
      },
    ],
  ])('OAC-19: %j is checked and repaired without an exception', (body) => {
    for (const server of [openai, deepseek, mistral, groq, moonshot, openrouter, xai, ollama, qwen, llamacpp]) {
      const target = server.modelInfo(server.defaultModel);
      expect(check(body, target, server).length).toBeGreaterThan(0);
      const json = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
      expect(() => preflight(RULES, json, { quirks: quirksOf(server, target), model: target })).not.toThrow();
    }
  });
});
