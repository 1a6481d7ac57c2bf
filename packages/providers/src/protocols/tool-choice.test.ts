import type { ProtocolId } from '@bough/core';
import { createNode, nodeId, projectId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import { createProvider } from '../create-provider.ts';
import type { Deployment } from '../deployment.ts';
import { anthropic } from '../deployments/anthropic.ts';
import { simulatedDeployment } from '../deployments/simulated/index.ts';
import { prepareCall } from '../prepare-call/index.ts';
import type { ToolChoice } from '../protocol.ts';

const question = createNode({
  id: nodeId('n'),
  projectId: projectId('p'),
  parentId: null,
  role: 'user',
  contentBlocks: [{ type: 'text', text: 'Hi' }],
  createdAt: '',
});
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }];

function choiceIn(
  deployment: Deployment,
  model: string,
  toolChoice: ToolChoice,
  thinking: 'off' | 'high' = 'off',
): unknown {
  const provider = createProvider(deployment, { key: null });
  const target = { provider, model, systemPrompt: null, tools, thinking, toolChoice };
  const { request } = prepareCall([question], target, { rawOf: () => undefined });
  expect(request.violations).toEqual([]);
  const body = JSON.parse(request.body) as Record<string, unknown>;
  const config = body['toolConfig'] as { readonly functionCallingConfig?: unknown } | undefined;
  return body['tool_choice'] ?? config?.functionCallingConfig;
}

describe('tool choice', () => {
  it.each<[ProtocolId, unknown, unknown, unknown]>([
    ['anthropic-messages', { type: 'none' }, { type: 'any' }, { type: 'tool', name: 'look' }],
    ['openai-responses', 'none', 'required', { type: 'function', name: 'look' }],
    ['openai-chat', 'none', 'required', { type: 'function', function: { name: 'look' } }],
    ['gemini', { mode: 'NONE' }, { mode: 'ANY' }, { mode: 'ANY', allowedFunctionNames: ['look'] }],
  ])('TCH-1: %s', (protocol, none, any, one) => {
    const deployment = simulatedDeployment(protocol, 'http://127.0.0.1:9');
    const choice = (wanted: ToolChoice): unknown => choiceIn(deployment, deployment.defaultModel, wanted);
    expect([choice('auto'), choice('none'), choice('required'), choice({ name: 'look' })]).toEqual([
      undefined,
      none,
      any,
      one,
    ]);
  });

  it('TCH-1: a model that thinks and does not let itself be forced decides for itself', () => {
    expect(choiceIn(anthropic, 'claude-haiku-4-5', 'required', 'high')).toBeUndefined();
    expect(choiceIn(anthropic, 'claude-haiku-4-5', 'required', 'off')).toEqual({ type: 'any' });
  });
});
