import type { ThinkingSetting } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_DEPLOYMENTS } from '../../../deployments/index.ts';
import { quirksOf } from '../traits.ts';
import { serverWith } from '../testing.ts';
import { isThinking, thinkingParameters } from './thinking.ts';

function deploymentOf(provider: string) {
  const deployment = BUILT_IN_DEPLOYMENTS.find(({ id }) => id === provider);
  if (deployment === undefined) throw new Error(`no ${provider}`);
  return deployment;
}

function asked(provider: string, id: string, setting: ThinkingSetting, hasTools = false) {
  const deployment = deploymentOf(provider);
  const model = deployment.modelInfo(id);
  return thinkingParameters(setting, quirksOf(deployment, model), model, hasTools);
}

describe('thinkingParameters', () => {
  it.each<[string, string, ThinkingSetting, boolean, object]>([
    ['openai', 'gpt-5.1', 'high', false, { reasoning_effort: 'high' }],
    ['openai', 'gpt-5.1', 'off', false, { reasoning_effort: 'none' }],
    ['openai', 'gpt-5', 'off', false, { reasoning_effort: 'minimal' }],
    ['openai', 'o3', 'off', false, { reasoning_effort: 'low' }],
    ['openai', 'gpt-5.5', 'high', false, { reasoning_effort: 'high' }],
    ['openai', 'gpt-5.5', 'high', true, { reasoning_effort: 'none' }],
    ['openai', 'gpt-5', { budgetTokens: 900 }, false, { reasoning_effort: 'low' }],
    ['openai', 'gpt-4.1', 'high', false, {}],
    ['openai', 'somebodys-own', 'high', true, {}],
    ['openai', 'gpt-99', 'high', false, { reasoning_effort: 'high' }],
    ['openai', 'gpt-99', 'high', true, { reasoning_effort: 'none' }],
    ['openai', 'o1-mini', 'high', false, {}],
    ['mistral', 'magistral-small-2509', 'high', true, {}],
    ['xai', 'grok-5', 'high', true, { reasoning_effort: 'high' }],
    ['openrouter', 'nobody/knows', 'high', true, { reasoning: { effort: 'high' } }],
    ['openrouter', 'nobody/knows', 'off', true, {}],
    ['openrouter', 'anthropic/claude-opus-7', 'high', true, { reasoning: { effort: 'high' } }],
    ['deepseek', 'deepseek-v4-pro', 'medium', true, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['deepseek', 'deepseek-v4-pro', 'low', true, { thinking: { type: 'enabled' }, reasoning_effort: 'low' }],
    ['deepseek', 'deepseek-v4-pro', 'off', true, { thinking: { type: 'disabled' } }],
    ['moonshot', 'kimi-k2.6', 'high', true, { thinking: { type: 'enabled', keep: 'all' } }],
    ['moonshot', 'kimi-k2.6', 'off', true, { thinking: { type: 'disabled' } }],
    ['moonshot', 'kimi-k3', 'medium', true, { reasoning_effort: 'high' }],
    ['moonshot', 'kimi-k3', 'off', true, { reasoning_effort: 'low' }],
    ['moonshot', 'kimi-k2.7-code', 'off', true, {}],
    ['mistral', 'mistral-small-latest', 'low', true, { reasoning_effort: 'high' }],
    ['mistral', 'mistral-small-latest', 'off', true, { reasoning_effort: 'none' }],
    ['mistral', 'magistral-medium-latest', 'high', true, {}],
    ['groq', 'openai/gpt-oss-120b', 'medium', true, { reasoning_effort: 'medium' }],
    ['groq', 'qwen/qwen3-32b', 'high', true, { reasoning_effort: 'default', reasoning_format: 'parsed' }],
    ['groq', 'qwen/qwen3-32b', 'off', true, { reasoning_effort: 'none' }],
    ['openrouter', 'anthropic/claude-sonnet-5', 'high', true, { reasoning: { effort: 'high' } }],
    ['openrouter', 'anthropic/claude-sonnet-5', { budgetTokens: 2_000 }, true, { reasoning: { max_tokens: 2_000 } }],
    ['openrouter', 'anthropic/claude-sonnet-5', 'off', true, { reasoning: { effort: 'none' } }],
    ['xai', 'grok-4.3', 'off', true, { reasoning_effort: 'none' }],
    ['xai', 'grok-4-fast', 'high', true, {}],
    ['ollama', 'qwen3:8b', 'off', true, { reasoning_effort: 'none' }],
  ])('OAC-18: %s %s at %j, tools %s', (provider, model, setting, hasTools, parameters) => {
    expect(asked(provider, model, setting, hasTools)).toEqual(parameters);
  });

  it.each<[object, ThinkingSetting, object]>([
    [
      { thinking: 'enable_thinking', keepsReasoning: 'preserve_thinking' },
      'low',
      { enable_thinking: true, thinking_budget: 1_024, preserve_thinking: true },
    ],
    [{ thinking: 'enable_thinking' }, 'off', { enable_thinking: false }],
    [{ thinking: 'chat_template_kwargs' }, 'high', { chat_template_kwargs: { enable_thinking: true } }],
    [{ thinking: 'chat_template_kwargs' }, 'off', { chat_template_kwargs: { enable_thinking: false } }],
    [
      { thinking: 'thinking_type', efforts: [], keepsReasoning: 'thinking.clear_thinking' },
      'high',
      { thinking: { type: 'enabled', clear_thinking: false } },
    ],
    [{}, 'high', {}],
  ])('OAC-18: %j at %j', (declared, setting, parameters) => {
    const server = serverWith(declared);
    const model = server.modelInfo('m-1');
    const quirks = quirksOf(server, model);
    expect(thinkingParameters(setting, quirks, model, false)).toEqual(parameters);
    if (quirks.thinking !== 'none')
      expect(isThinking(parameters as Record<string, unknown>, quirks, model)).toBe(setting !== 'off');
  });
});
