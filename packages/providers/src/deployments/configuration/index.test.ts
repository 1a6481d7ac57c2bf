import { describe, expect, it } from 'vitest';
import { anthropic } from '../anthropic.ts';
import { configuredDeployment, overrideDeployment } from './apply.ts';
import { readProviderConfigs } from './index.ts';

const REQUEST = { method: 'POST', url: 'https://models.example', headers: {}, body: '{}' };

const read = (section: unknown) => [...readProviderConfigs(section)];

describe('readProviderConfigs', () => {
  it('DEP-3: reads overrides and new providers', () => {
    const section = {
      deepseek: { baseUrl: 'http://127.0.0.1:9000/deepseek/v1/', apiKeyEnv: 'DEEPSEEK_API_KEY' },
      lab: {
        protocol: 'openai-chat',
        baseUrl: 'http://127.0.0.1:8000/v1',
        models: ['qwen3-32b', { id: 'big', contextWindow: 100_000 }],
        quirks: { reasoning: 'reasoning_content' },
      },
    };
    expect(read(section)).toEqual([
      ['deepseek', { baseUrl: 'http://127.0.0.1:9000/deepseek/v1', apiKeyEnv: 'DEEPSEEK_API_KEY' }],
      ['lab', { ...section.lab, models: [{ id: 'qwen3-32b' }, { id: 'big', contextWindow: 100_000 }] }],
    ]);
    expect(read(undefined)).toEqual([]);
  });

  it.each([
    ['providers', []],
    ['providers.lab', { lab: 'x' }],
    ['providers.a b', { 'a b': {} }],
    ['providers.lab.baseURL', { lab: { baseURL: 'http://x' } }],
    ['providers.lab.baseUrl', { lab: { baseUrl: 'x' } }],
    ['providers.lab.baseUrl', { lab: { baseUrl: 'https://me:pass@x/v1' } }],
    ['providers.lab.baseUrl', { lab: { baseUrl: 'https://x/v1?key=abc' } }],
    ['providers.lab.baseUrl', { lab: { baseUrl: 'ftp://x' } }],
    ['providers.lab.apiKeyEnv', { lab: { apiKeyEnv: '' } }],
    ['providers.lab.protocol', { lab: { protocol: 'grpc' } }],
    ['providers.lab.models', { lab: { models: 'm' } }],
    ['providers.lab.models.1', { lab: { models: ['m', 7] } }],
    ['providers.lab.models.0.id', { lab: { models: [{ label: 'x' }] } }],
    ['providers.lab.models.0.contextWindow', { lab: { models: [{ id: 'm', contextWindow: 1.5 }] } }],
    ['providers.lab.headers.x', { lab: { headers: { x: 1 } } }],
  ])('DEP-4: an error names the key %s', (key, section) => {
    expect(() => read(section)).toThrowError(expect.objectContaining({ code: 'invalid_configuration', key }));
  });
});

describe('overrideDeployment', () => {
  it('DEP-3: changes what is named and keeps the rest, the id above all', () => {
    const changed = overrideDeployment(anthropic, {
      baseUrl: 'http://127.0.0.1:1/x',
      apiKeyEnv: 'MY_KEY',
      headers: { 'x-team': 'a' },
      models: [{ id: 'own-model', label: 'Own', contextWindow: 1_000 }],
    });
    expect(changed).toMatchObject({ id: 'anthropic', baseUrl: 'http://127.0.0.1:1/x', keyEnv: ['MY_KEY'] });
    expect(changed.headers).toEqual({ ...anthropic.headers, 'x-team': 'a' });
    expect(changed.models[0]).toMatchObject({ id: 'own-model', label: 'Own', contextWindow: 1_000 });
    expect(changed.models.slice(1)).toEqual(anthropic.models);
    expect(changed.modelInfo('own-model').contextWindow).toBe(1_000);
    expect(changed.modelInfo(anthropic.defaultModel)).toEqual(anthropic.modelInfo(anthropic.defaultModel));
  });

  it('DEP-4: a built-in provider cannot speak another protocol', () => {
    expect(() => overrideDeployment(anthropic, { protocol: 'gemini' })).toThrowError(/providers\.anthropic\.protocol/);
  });
});

describe('configuredDeployment', () => {
  it('DEP-3: makes an OpenAI-compatible server out of three lines', () => {
    const lab = configuredDeployment('lab', {
      baseUrl: 'http://127.0.0.1:8000/v1',
      models: [{ id: 'qwen3-32b' }, { id: 'big', contextWindow: 100_000 }],
      quirks: { reasoning: 'reasoning_content' },
    });
    expect(lab).toMatchObject({
      id: 'lab',
      label: 'lab',
      protocol: 'openai-chat',
      keyOptional: true,
      defaultModel: 'qwen3-32b',
    });
    expect(lab.authorize('k', REQUEST)).toEqual({ authorization: 'Bearer k' });
    expect(lab.modelInfo('big')).toMatchObject({ contextWindow: 100_000, maxOutputTokens: 4_096 });
    for (const model of ['qwen3-32b', 'another']) {
      expect(lab.modelInfo(model)).toMatchObject({ id: model, canThink: true, maxOutputTokens: 4_096 });
    }
  });

  it('DEP-3: any protocol can be configured, with its own way to carry the key', () => {
    const config = {
      protocol: 'anthropic-messages',
      baseUrl: 'http://x',
      models: [{ id: 'm' }],
      apiKeyEnv: 'K',
    } as const;
    const house = configuredDeployment('house', config);
    expect(house.authorize('k', REQUEST)).toEqual({ 'x-api-key': 'k' });
    expect(house).toMatchObject({ keyOptional: false, keyEnv: ['K'], headers: { 'anthropic-version': '2023-06-01' } });
  });

  it.each([
    ['providers.lab.baseUrl', { models: [{ id: 'm' }] }],
    ['providers.lab.models', { baseUrl: 'http://x' }],
    ['providers.lab.quirks', { baseUrl: 'http://x', models: [{ id: 'm' }], quirks: { resoning: 'x' } }],
    ['providers.lab.quirks', { baseUrl: 'http://x', models: [{ id: 'm' }], quirks: { demands: 'always' } }],
  ])('DEP-4: an error names the key %s', (key, config) => {
    expect(() => configuredDeployment('lab', config)).toThrowError(expect.objectContaining({ key }));
  });
});
