import { describe, expect, it } from 'vitest';
import { deploymentKey } from '../deployment.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { createRegistry } from './registry.ts';
import { simulatedDeployment } from './simulated/index.ts';

const builtIn = [anthropic, gemini];

describe('createRegistry', () => {
  it('DEP-1: offers the built-in deployments in their order', () => {
    const registry = createRegistry({ builtIn, env: {} });
    expect(registry.all).toEqual(builtIn);
    expect(registry.byId('gemini')).toBe(gemini);
    expect(registry.keyOf(gemini)).toBeNull();
  });

  it('DEP-1: an unknown id is an error that tells what there is', () => {
    const { byId } = createRegistry({ builtIn, env: {} });
    expect(() => byId('gemni')).toThrowError(/no provider "gemni"\. Known: anthropic, gemini\./);
  });

  it('DEP-2: keys and base URLs come from the environment, the first variable that is set', () => {
    const env = { GEMINI_API_KEY: '', GOOGLE_API_KEY: ' key ', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/x/' };
    const registry = createRegistry({ builtIn, env });
    expect(registry.keyOf(registry.byId('gemini'))).toBe('key');
    expect(registry.byId('anthropic').baseUrl).toBe('http://127.0.0.1:9/x');
    expect(() => createRegistry({ builtIn, env: { ANTHROPIC_BASE_URL: 'nonsense' } })).toThrowError(
      /^ANTHROPIC_BASE_URL: /,
    );
  });

  it('DEP-3: the file changes and adds, the environment has the last word', () => {
    const registry = createRegistry({
      builtIn,
      env: { ANTHROPIC_BASE_URL: 'http://env', GEMINI_API_KEY: 'standard', MY_KEY: 'mine' },
      providers: {
        anthropic: { baseUrl: 'http://file' },
        gemini: { baseUrl: 'http://file', apiKeyEnv: 'MY_KEY' },
        lab: { baseUrl: 'http://127.0.0.1:8000/v1', models: ['m'] },
      },
    });
    expect(registry.all.map(({ id, baseUrl }) => [id, baseUrl])).toEqual([
      ['anthropic', 'http://env'],
      ['gemini', 'http://file'],
      ['lab', 'http://127.0.0.1:8000/v1'],
    ]);
    expect(registry.keyOf(registry.byId('gemini'))).toBe('mine');
  });

  it('DEP-5: another base URL is another issuer', () => {
    const { all } = createRegistry({ builtIn, env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } });
    expect(all.map(deploymentKey)).toEqual(['anthropic@127.0.0.1:9', deploymentKey(gemini)]);
  });
});

describe('simulatedDeployment', () => {
  it('DEP-6: needs no key and keeps its issuer on another port', () => {
    const first = simulatedDeployment('anthropic-messages', 'http://127.0.0.1:1/');
    const second = simulatedDeployment('anthropic-messages', 'http://127.0.0.1:2');
    expect(first).toMatchObject({ id: 'simulated', keyOptional: true, baseUrl: 'http://127.0.0.1:1' });
    expect(deploymentKey(first)).toBe(deploymentKey(second));
  });

  it('DEP-6: looks a real model up where real models are', () => {
    const deployment = simulatedDeployment('anthropic-messages', 'http://x', anthropic.modelInfo);
    expect(deployment.modelInfo(anthropic.defaultModel)).toEqual(anthropic.modelInfo(anthropic.defaultModel));
    expect(deployment.modelInfo('sim-bound')).toMatchObject({ known: true, bindsThinkingToPrefix: true });
  });

  it('DEP-6: every default model is in its list', () => {
    for (const protocol of ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'] as const) {
      const { models, defaultModel } = simulatedDeployment(protocol, 'http://x');
      expect(models.map((model) => model.id)).toContain(defaultModel);
      expect(new Set(models.map((model) => model.id)).size).toBe(models.length);
    }
  });
});
