import { isPlainObject } from '@bough/core';
import { BUILT_IN_DEPLOYMENTS } from '@bough/providers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../server.ts';
import { startSimulator } from '../server.ts';
import { servedModel, unlistedOf } from './index.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const VENDORS = [
  ['anthropic', '/anthropic/v1/models?limit=1000', { 'anthropic-version': '2023-06-01' }],
  ['gemini', '/gemini/v1beta/models?pageSize=1000', { 'x-goog-api-key': 'k' }],
  ['openai', '/openai/v1/models', {}],
  ['openrouter', '/openrouter/api/v1/models', {}],
  ['mistral', '/mistral/v1/models', {}],
  ['groq', '/groq/openai/v1/models', {}],
  ['moonshot', '/moonshot/v1/models', {}],
  ['deepseek', '/deepseek/v1/models', {}],
  ['xai', '/xai/v1/models', {}],
  ['ollama', '/ollama/v1/models', {}],
] as const;

async function listed(path: string, headers: Record<string, string>): Promise<Record<string, unknown>> {
  const response = await fetch(`${simulator.url}${path}`, { headers });
  const body: unknown = await response.json();
  if (!isPlainObject(body)) throw new Error('no list');
  return body;
}

function idsIn(body: Readonly<Record<string, unknown>>): readonly string[] {
  const list = body['data'] ?? body['models'];
  if (!Array.isArray(list)) throw new Error('no list');
  return list.filter(isPlainObject).map((model) => String(model['id'] ?? model['name']).replace(/^models\//, ''));
}

describe('lists of models', () => {
  it.each(VENDORS)('SIM-15: %s lists models that the catalogue does not have', async (vendor, path, headers) => {
    const ids = idsIn(await listed(path, headers));
    const deployment = BUILT_IN_DEPLOYMENTS.find(({ id }) => id === vendor);
    const own = unlistedOf(vendor).map(({ id }) => id);
    expect(own).not.toHaveLength(0);
    for (const id of own) {
      expect(ids).toContain(id);
      expect(deployment?.modelInfo(id).known).toBe(false);
      expect(deployment && servedModel(vendor, deployment, id)?.known).toBe(true);
    }
  });

  it('SIM-15: long lists have pages', async () => {
    const version = { 'anthropic-version': '2023-06-01' };
    const whole = idsIn(await listed('/anthropic/v1/models?limit=1000', version));
    const ids: string[] = [];
    for (let after = ''; ;) {
      const page = await listed(`/anthropic/v1/models?limit=3${after}`, version);
      expect(idsIn(page).length).toBeLessThanOrEqual(3);
      ids.push(...idsIn(page));
      if (page['has_more'] !== true) break;
      after = `&after_id=${String(page['last_id'])}`;
    }
    expect(ids).toEqual(whole);
    const first = await listed('/gemini/v1beta/models?pageSize=2', {});
    const second = await listed(`/gemini/v1beta/models?pageSize=2&pageToken=${String(first['nextPageToken'])}`, {});
    expect(idsIn(second)).not.toContain(idsIn(first)[0]);
  });
});

describe('chat completions', () => {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${simulator.url}${path}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], ...body }),
    });
    return `${response.status} ${await response.text()}`;
  };

  it.each([
    ['/openai/v1', '404', 'The model `nobody` does not exist or you do not have access to it.'],
    ['/openrouter/api/v1', '400', 'nobody is not a valid model ID'],
    ['/mistral/v1', '400', 'Invalid model: nobody'],
    ['/deepseek/v1', '400', 'Model Not Exist'],
    ['/moonshot/v1', '404', 'Not found the model nobody or Permission denied'],
    ['/ollama/v1', '404', 'not found, try pulling it first'],
  ])('SIM-OAC-8: %s has no model that it does not list', async (path, status, words) => {
    const answer = await post(path, { model: 'nobody' });
    expect(answer.startsWith(status)).toBe(true);
    expect(answer).toContain(words);
  });

  it('SIM-OAC-8: reasoning that is mandatory cannot be switched off', async () => {
    const off = { reasoning: { effort: 'none' } };
    expect(await post('/openrouter/api/v1', { model: 'stealth/oracle', ...off })).toContain('Reasoning is mandatory');
    expect(await post('/openrouter/api/v1', { model: 'qwen/qwen-next-thinker', ...off })).toMatch(/^200/);
  });
});
