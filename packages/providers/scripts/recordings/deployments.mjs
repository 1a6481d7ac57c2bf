import { BUILT_IN_DEPLOYMENTS, createRegistry } from '@bough/providers';

const chat = (dialect, quirks = {}) => ({
  protocol: 'openai-chat',
  baseUrl: 'http://127.0.0.1',
  models: ['any'],
  quirks: { ...(dialect && { dialect }), ...quirks },
});
const responses = {
  protocol: 'openai-responses',
  baseUrl: 'http://127.0.0.1',
  models: ['any'],
  quirks: { dialect: 'open' },
};

/** Recorded servers that are not built in, as a configuration file would describe them. */
const registry = createRegistry({
  env: {},
  builtIn: BUILT_IN_DEPLOYMENTS,
  providers: {
    azure: chat('openai'),
    cerebras: chat('cerebras'),
    'github-copilot': chat('openai'),
    gpustack: chat(undefined),
    huggingface: chat(undefined),
    llamacpp: chat('llamacpp'),
    perplexity: chat('perplexity', { roleOrder: 'alternating' }),
    'qwen-alibaba': chat('dashscope'),
    together: chat(undefined),
    'vercel-gateway': chat(undefined),
    zai: chat(undefined),
    'open-responses': responses,
  },
});

const NAMES = { google: 'gemini', 'google-vertex': 'gemini' };

/** Recordings keep no headers; these are the betas that the recorded clients name. */
const BETAS = 'advisor-tool-2026-03-01,compact-2026-01-12,context-management-2025-06-27';

function anthropic() {
  const deployment = registry.byId('anthropic');
  return { ...deployment, headers: { ...deployment.headers, 'anthropic-beta': BETAS } };
}

export function deploymentFor({ meta, protocol }) {
  if (protocol === 'anthropic-messages') return anthropic();
  if (protocol === 'openai-responses')
    return registry.byId(meta.provider.startsWith('openai') ? 'openai_responses' : 'open-responses');
  return registry.byId(NAMES[meta.provider] ?? meta.provider);
}
