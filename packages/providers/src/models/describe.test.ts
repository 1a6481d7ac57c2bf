import { describe, expect, it } from 'vitest';
import { overrideDeployment } from '../deployments/configuration/apply.ts';
import { readProviderConfigs } from '../deployments/configuration/index.ts';
import { BUILT_IN_DEPLOYMENTS } from '../deployments/index.ts';
import type { Deployment } from '../deployment.ts';
import { traitsOf as claudeTraits } from '../protocols/anthropic-messages/traits.ts';
import { traitsOf as geminiTraits } from '../protocols/gemini/traits.ts';
import { quirksOf } from '../protocols/openai-chat/traits.ts';
import { readTraits } from '../protocols/openai-responses/traits.ts';
import { replaysThinking } from '../protocols/replays-thinking.ts';
import { describeModel } from './describe.ts';

function deployment(id: string): Deployment {
  const found = BUILT_IN_DEPLOYMENTS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no deployment ${id}`);
  return found;
}

function configured(id: string, model: object): Deployment {
  const config = readProviderConfigs({ [id]: { models: [model] } }).get(id);
  if (config === undefined) throw new Error('nothing was read');
  return overrideDeployment(deployment(id), config);
}

describe('describeModel', () => {
  it('MOD-6: each fact comes from the surest source, and says from which', () => {
    const openrouter = configured('openrouter', { id: 'new/thinker', bound: true, window: 50_000 });
    const listed = { contextWindow: 900_000, maxOutputTokens: 70_000, thinking: { when: 'always' } } as const;
    const { info, sources } = describeModel(openrouter, 'new/thinker', listed);
    expect(info).toMatchObject({
      contextWindow: 50_000,
      maxOutputTokens: 70_000,
      alwaysThinks: true,
      bindsThinkingToPrefix: true,
    });
    expect(sources).toEqual({
      contextWindow: 'configuration',
      maxOutputTokens: 'list',
      thinking: 'list',
      bindsThinkingToPrefix: 'configuration',
    });
  });

  it('MOD-6: the catalogue wins over the list, the configuration over the catalogue', () => {
    const listed = { contextWindow: 5, maxOutputTokens: 6 };
    const known = describeModel(deployment('openai'), 'gpt-5.1', listed);
    expect(known.info.contextWindow).toBe(400_000);
    expect(new Set(Object.values(known.sources))).toEqual(new Set(['catalogue']));
    const changed = describeModel(configured('openai', { id: 'gpt-5.1', maxOutput: 9_000 }), 'gpt-5.1', listed);
    expect(changed.info).toMatchObject({ contextWindow: 400_000, maxOutputTokens: 9_000 });
    expect(changed.sources).toMatchObject({ contextWindow: 'catalogue', maxOutputTokens: 'configuration' });
  });

  it('MOD-6: what nobody says is assumed, from the family if the name has one', () => {
    expect(new Set(Object.values(describeModel(deployment('mistral'), 'nobody-1', undefined).sources))).toEqual(
      new Set(['assumed']),
    );
    expect(describeModel(deployment('mistral'), 'magistral-small-2509', undefined).sources.thinking).toBe('family');
  });

  it('MOD-6: a list that says that a model thinks does not take away that it always does', () => {
    const { info } = describeModel(deployment('mistral'), 'magistral-small-2509', { thinking: { when: 'thinks' } });
    expect(info).toMatchObject({ canThink: true, alwaysThinks: true });
    expect(describeModel(deployment('mistral'), 'nobody-1', { thinking: { when: 'thinks' } }).info).toMatchObject({
      canThink: true,
      alwaysThinks: false,
      traits: { takesReasoning: true },
    });
  });

  it.each([
    ['anthropic', { thinking: ['adaptive', 'disabled', 'low', 'high'] }],
    ['openai_responses', { thinking: ['none', 'low', 'high'] }],
    ['gemini', { thinking: ['low', 'high'] }],
    ['xai', { thinking: ['low', 'high'] }],
  ])('DEP-7: what the configuration says of thinking reaches the traits of %s', (id, facts) => {
    const target = configured(id, { id: 'their-own', ...facts });
    const info = target.modelInfo('their-own');
    expect(info.canThink).toBe(true);
    const told = {
      anthropic: () => [...claudeTraits(info).thinking, ...claudeTraits(info).effort],
      openai_responses: () => readTraits(info).efforts,
      gemini: () => geminiTraits(info).thinking,
      xai: () => quirksOf(target, info).efforts,
    }[id];
    const expected = id === 'gemini' ? { by: 'level', levels: ['low', 'high'] } : facts.thinking;
    expect(told?.()).toEqual(expected);
  });

  it('DEP-7: bound, vision, tools, price, reasoning and quirks of a model are stated one by one', () => {
    const model = {
      id: 'their-own',
      thinking: false,
      bound: false,
      vision: true,
      tools: false,
      reasoning: 'none',
      price: { input: 1, output: 2 },
    };
    const claude = configured('anthropic', model).modelInfo('their-own');
    expect(claude).toMatchObject({
      canThink: false,
      bindsThinkingToPrefix: false,
      canSee: true,
      canUseTools: false,
      price: { input: 1, output: 2 },
    });
    expect(claudeTraits(claude)).toMatchObject({ thinking: [], prefixCheck: 'none' });
    const lab = configured('groq', { id: 'their-own', thinking: 'always', quirks: { reasoning: 'reasoning_content' } });
    expect(lab.modelInfo('their-own')).toMatchObject({ canThink: true, alwaysThinks: true, reasoning: 'full' });
    expect(quirksOf(lab, lab.modelInfo('their-own')).reasoning).toBe('reasoning_content');
  });

  it.each([
    ['thinking', { thinking: 'sometimes' }],
    ['thinking', { thinking: [] }],
    ['thinking.0', { thinking: [7] }],
    ['bound', { bound: 'yes' }],
    ['window', { window: 0 }],
    ['reasoning', { reasoning: 'some' }],
    ['price.input', { price: { output: 1 } }],
    ['price.output', { price: { input: 1, output: -1 } }],
    ['contextWindow', { window: 1, contextWindow: 1 }],
    ['visoin', { visoin: true }],
  ])('DEP-7: an error in %s of a model names its key', (key, facts) => {
    expect(() => configured('openrouter', { id: 'm', ...facts })).toThrowError(
      expect.objectContaining({ code: 'invalid_configuration', key: `providers.openrouter.models.0.${key}` }),
    );
  });

  it('DEP-7: quirks of a model are checked, and only openai-chat has them', () => {
    expect(() => configured('groq', { id: 'm', quirks: { resoning: 'x' } })).toThrowError(/models\.0\.quirks/);
    expect(() => configured('gemini', { id: 'm', quirks: {} })).toThrowError(/only for servers that speak openai-chat/);
  });
});

describe('families of names', () => {
  const facts = (id: string, model: string) => {
    const target = deployment(id);
    const info = target.modelInfo(model);
    const { efforts, takesReasoning, systemRole } = quirksOf(target, info);
    return { ...info, efforts, takesReasoning, systemRole, replays: replaysThinking(target, info) };
  };

  it('MOD-7: Magistral thinks, and its own thinking goes back', () => {
    for (const id of ['magistral-small-2509', 'magistral-small-latest', 'magistral-medium-2509']) {
      expect(facts('mistral', id)).toMatchObject({ alwaysThinks: true, takesReasoning: true, replays: true });
    }
    expect(facts('mistral', 'mistral-small-2603')).toMatchObject({ canThink: true, replays: true });
    expect(facts('mistral', 'mistral-small-2506')).toMatchObject({ canThink: false, replays: false });
    expect(facts('mistral', 'codestral-latest')).toMatchObject({ canThink: false, replays: false });
  });

  it('MOD-7: o1-mini and o1-preview take no system prompt, no tools and no effort; their successors do', () => {
    for (const id of ['o1-mini', 'o1-mini-2024-09-12', 'o1-preview']) {
      expect(facts('openai', id)).toMatchObject({ systemRole: 'user', canUseTools: false, efforts: [] });
    }
    expect(facts('openai', 'o5-mini')).toMatchObject({
      systemRole: 'system',
      canUseTools: true,
      alwaysThinks: true,
      efforts: ['low', 'medium', 'high'],
    });
    expect(facts('openai', 'gpt-7-sol')).toMatchObject({ canThink: true, alwaysThinks: false, family: 'GPT-7' });
    expect(facts('openai', 'chatgpt-4o-latest')).toMatchObject({ canThink: false, family: 'GPT-4' });
    expect(facts('openai', 'our-own').canThink).toBe(false);
    expect(facts('openai', 'our-own').family).toBeUndefined();
    expect(readTraits(deployment('openai_responses').modelInfo('gpt-7-sol')).efforts).toContain('high');
    expect(readTraits(deployment('openai_responses').modelInfo('our-own')).efforts).toEqual([]);
  });

  it('MOD-7: Grok takes an effort since 4.3, unless its name says otherwise', () => {
    expect(facts('xai', 'grok-5')).toMatchObject({ alwaysThinks: true, efforts: ['low', 'medium', 'high'] });
    expect(facts('xai', 'grok-4-0709')).toMatchObject({ alwaysThinks: true, efforts: [] });
    expect(facts('xai', 'grok-4.20-0512-reasoning')).toMatchObject({ alwaysThinks: true, efforts: [] });
    expect(facts('xai', 'grok-5-non-reasoning')).toMatchObject({ canThink: false });
    expect(facts('xai', 'grok-3-mini')).toMatchObject({ alwaysThinks: true, efforts: ['low', 'high'] });
  });

  it('MOD-7: behind OpenRouter every model may think, and only Claude counts as bound', () => {
    expect(facts('openrouter', 'qwen/qwen9')).toMatchObject({ canThink: true, bindsThinkingToPrefix: false });
    expect(facts('openrouter', 'anthropic/claude-opus-7')).toMatchObject({
      canThink: true,
      bindsThinkingToPrefix: true,
      family: 'Claude',
    });
    expect(quirksOf(deployment('openrouter'), facts('openrouter', 'google/gemini-4-pro')).demands).toBe('tool_calls');
    expect(quirksOf(deployment('openrouter'), facts('openrouter', 'google/gemini-2.0-flash')).demands).toBe('never');
  });

  it('MOD-7: the others: Kimi before K2 Thinking, GPT-OSS and Qwen3 anywhere, Claude by its version', () => {
    expect(facts('moonshot', 'kimi-k2-0905-preview')).toMatchObject({ canThink: false });
    expect(facts('moonshot', 'kimi-k4')).toMatchObject({ alwaysThinks: true, family: 'Kimi' });
    expect(facts('ollama', 'gpt-oss:120b')).toMatchObject({ alwaysThinks: true });
    expect(facts('ollama', 'qwen3:30b')).toMatchObject({ canThink: true, alwaysThinks: false });
    expect(facts('ollama', 'gemma4:12b')).toMatchObject({ canThink: false });
    expect(facts('groq', 'qwen/qwen3.9-max')).toMatchObject({ canThink: true });
    const claude = deployment('anthropic').modelInfo('claude-sonnet-6-1');
    expect(claudeTraits(claude).thinking).toEqual(['adaptive']);
    expect(claude).toMatchObject({ canThink: true, bindsThinkingToPrefix: true, known: false });
    expect(deployment('anthropic').modelInfo('claude-3-5-haiku-latest')).toMatchObject({
      canThink: false,
      bindsThinkingToPrefix: false,
    });
  });
});
