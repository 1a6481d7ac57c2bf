import type { ProviderTool } from '@bough/core';
import { isPlainObject, nodeId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import type { Deployment } from '../deployment.ts';
import { anthropic } from '../deployments/anthropic.ts';
import { deepseek } from '../deployments/deepseek.ts';
import { gemini } from '../deployments/gemini.ts';
import { openaiResponsesDeployment } from '../deployments/openai-responses.ts';
import { protocolById } from '../protocols/index.ts';
import { chooseProviderTools, offeredProviderTools } from './index.ts';

const offered = (deployment: Deployment, model: string) =>
  offeredProviderTools(deployment, deployment.modelInfo(model)).map(({ tool }) => tool);

function refusal(
  deployment: Deployment,
  model: string,
  wanted: readonly ProviderTool[],
  tools: readonly string[] = [],
) {
  const { refused } = chooseProviderTools(deployment, deployment.modelInfo(model), wanted, tools);
  return refused.map(({ message }) => message).join(' ');
}

/** The finished request for one message. */
function request(
  deployment: Deployment,
  model: string,
  providerTools: readonly ProviderTool[],
  thinking: 'off' | 'low' = 'low',
) {
  const prepared = protocolById(deployment.protocol).prepare({
    items: [
      {
        message: { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
        nodeIds: [nodeId('u1')],
        source: 'canonical',
        reasoning: 'omit',
        answeredCalls: [],
        partial: false,
        synthetic: false,
      },
    ],
    systemPrompt: null,
    tools: [],
    providerTools,
    toolChoice: 'auto',
    thinking,
    maxTokens: 4_000,
    stream: true,
    model: deployment.modelInfo(model),
    deployment,
    rawOf: () => undefined,
  });
  const body: unknown = JSON.parse(prepared.body);
  expect(prepared.violations).toEqual([]);
  return { body: isPlainObject(body) ? body : {}, headers: prepared.headers };
}

const MCP: ProviderTool = {
  tool: 'remote_mcp',
  settings: { serverUrl: 'https://mcp.example.com', serverLabel: 'wiki', allowedTools: ['lookup'] },
};

describe('what providers run themselves', () => {
  it('PT-1: is offered by the protocol, the deployment and the model together', () => {
    expect(offered(anthropic, 'claude-sonnet-5-5')).toEqual([
      'web_search',
      'web_fetch',
      'code_execution',
      'remote_mcp',
    ]);
    expect(offered(anthropic, 'claude-3-5-haiku-latest')).toEqual([]);
    expect(offered(openaiResponsesDeployment, 'gpt-6-sol')).toContain('image_generation');
    expect(offered(openaiResponsesDeployment, 'gpt-5-pro')).not.toContain('code_execution');
    expect(offered(openaiResponsesDeployment, 'o1')).toEqual([]);
    expect(offered(gemini, 'gemini-3.8-flash')).toContain('file_search');
    expect(offered(gemini, 'gemini-2.5-pro')).not.toContain('file_search');
    expect(offered(deepseek, deepseek.defaultModel)).toEqual([]);
    // Another server of the protocol runs nothing by itself.
    const { providerTools: _, ...elsewhere } = anthropic;
    expect(offered(elsewhere, 'claude-sonnet-5-5')).toEqual([]);
  });

  it('PT-2: what is not offered, or asked for wrongly, is refused with the reason', () => {
    const search = (settings: ProviderTool['settings']): readonly ProviderTool[] => [{ tool: 'web_search', settings }];
    expect(refusal(anthropic, 'claude-opus-5', [{ tool: 'image_generation' }])).toMatch(
      /does not offer image_generation/,
    );
    expect(refusal(openaiResponsesDeployment, 'gpt-6-sol', search({ blockedDomains: ['a.org'] }))).toMatch(
      /has no setting "blockedDomains"/,
    );
    expect(
      refusal(anthropic, 'claude-opus-5', search({ allowedDomains: ['a.org'], blockedDomains: ['b.org'] })),
    ).toMatch(/not both/);
    expect(refusal(openaiResponsesDeployment, 'gpt-6-sol', [{ tool: 'file_search' }])).toMatch(/needs the setting/);
    expect(
      refusal(anthropic, 'claude-opus-5', [{ ...MCP, settings: { ...MCP.settings, serverUrl: 'http://x' } }]),
    ).toMatch(/begins with https/);
    expect(refusal(anthropic, 'claude-opus-5', [MCP, MCP])).toMatch(/two MCP servers/);
    expect(refusal(gemini, 'gemini-2.5-pro', [{ tool: 'web_search' }], ['calculator'])).toMatch(
      /only without other tools/,
    );
    expect(refusal(gemini, 'gemini-3.8-flash', [{ tool: 'web_search' }], ['calculator'])).toBe('');
  });

  it('PT-3: Anthropic gets definitions with their versions, and the beta that MCP needs', () => {
    const { body, headers } = request(anthropic, 'claude-opus-5', [
      {
        tool: 'web_search',
        settings: { maxUses: 3, allowedDomains: ['example.com'], userLocation: { country: 'DE' } },
      },
      { tool: 'web_fetch' },
      { tool: 'code_execution' },
      MCP,
    ]);
    expect(body['tools']).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 3,
        allowed_domains: ['example.com'],
        user_location: { type: 'approximate', country: 'DE' },
      },
      { type: 'web_fetch_20250910', name: 'web_fetch', citations: { enabled: true } },
      { type: 'code_execution_20250825', name: 'code_execution' },
      {
        type: 'mcp_toolset',
        mcp_server_name: 'wiki',
        default_config: { enabled: false },
        configs: { lookup: { enabled: true } },
      },
    ]);
    expect(body['mcp_servers']).toEqual([{ type: 'url', url: 'https://mcp.example.com', name: 'wiki' }]);
    expect(headers['anthropic-beta']).toContain('mcp-client-2025-11-20');
  });

  it('PT-4: OpenAI is asked for what the items shall carry, and never searches with the least effort', () => {
    const wanted: readonly ProviderTool[] = [
      { tool: 'web_search', settings: { allowedDomains: ['example.com'] } },
      { tool: 'code_execution' },
      { tool: 'file_search', settings: { vectorStores: ['vs_1'], maxResults: 5 } },
      { tool: 'image_generation', settings: { size: '1024x1024' } },
      MCP,
    ];
    const { body } = request(openaiResponsesDeployment, 'gpt-5', wanted, 'off');
    expect(body['tools']).toEqual([
      { type: 'web_search', filters: { allowed_domains: ['example.com'] } },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'file_search', vector_store_ids: ['vs_1'], max_num_results: 5 },
      { type: 'image_generation', size: '1024x1024' },
      {
        type: 'mcp',
        server_label: 'wiki',
        server_url: 'https://mcp.example.com',
        allowed_tools: ['lookup'],
        require_approval: 'never',
      },
    ]);
    expect(body['include']).toEqual([
      'reasoning.encrypted_content',
      'web_search_call.action.sources',
      'code_interpreter_call.outputs',
      'file_search_call.results',
    ]);
    expect(body['reasoning']).toMatchObject({ effort: 'low' });
    expect(request(openaiResponsesDeployment, 'gpt-5', [], 'off').body['reasoning']).toMatchObject({
      effort: 'minimal',
    });
  });

  it('PT-151: OpenAI is never asked for pictures with the least effort', () => {
    const { body } = request(openaiResponsesDeployment, 'gpt-5', [{ tool: 'image_generation' }], 'off');
    expect(body['reasoning']).toMatchObject({ effort: 'low' });
  });

  it('PT-152: Google searches files or the web, whichever was switched on first', () => {
    const files: ProviderTool = { tool: 'file_search', settings: { vectorStores: ['s'] } };
    const web: ProviderTool = { tool: 'web_search' };
    const model = gemini.modelInfo('gemini-3.8-flash');
    expect(chooseProviderTools(gemini, model, [web, files], []).kept).toEqual([web]);
    expect(chooseProviderTools(gemini, model, [files, { tool: 'web_fetch' }], []).kept).toEqual([files]);
    expect(refusal(gemini, model.id, [files, web])).toMatch(/web_search and file_search do not go together/);
    expect(refusal(openaiResponsesDeployment, 'gpt-6-sol', [files, web])).toBe('');
  });

  it.each(['https://example.com', 'example.com:443', 'intranet', 'a b.org', ''])(
    'PT-153: "%s" is refused as a domain',
    (domain) => {
      const wanted = (name: string): readonly ProviderTool[] => [
        { tool: 'web_search', settings: { blockedDomains: [name] } },
      ];
      expect(refusal(anthropic, 'claude-opus-5', wanted(domain))).toMatch(/A domain is written without https/);
      expect(refusal(anthropic, 'claude-opus-5', wanted('example.com/blog'))).toBe('');
    },
  );

  it('PT-5: Gemini is asked to show what it ran, where a model can', () => {
    const wanted: readonly ProviderTool[] = [{ tool: 'web_search' }, { tool: 'web_fetch' }, { tool: 'code_execution' }];
    const { body } = request(gemini, 'gemini-3.8-flash', wanted);
    expect(body['tools']).toEqual([{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }]);
    expect(body['toolConfig']).toEqual({ includeServerSideToolInvocations: true });
    expect(request(gemini, 'gemini-2.5-pro', wanted).body['toolConfig']).toBeUndefined();
  });
});
