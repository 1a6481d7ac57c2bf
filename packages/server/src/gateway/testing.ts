import { startSimulator } from '@bough/simulator';
import type { Simulator } from '@bough/simulator';
import { onTestFinished } from 'vitest';
import type { TestServer } from '../testing/start.ts';
import { startTestServer } from '../testing/start.ts';
import type { Tee } from '../testing/tee.ts';
import { startTee } from '../testing/tee.ts';

export const VENDOR_KEY = 'sk-the-vendors-key-0123456789';

/** A server with a gateway, vendors that are the simulator, and somebody who looks at the wire between them. */
export interface GatewayStage {
  readonly server: TestServer;
  readonly simulator: Simulator;
  readonly tee: Tee;
  /** Everything behind this is the vendor's own path. */
  readonly at: (provider: string) => string;
}

export async function startStage(env: Readonly<Record<string, string>> = {}, file?: unknown): Promise<GatewayStage> {
  const simulator = await startSimulator({ seed: 'gateway', keys: [VENDOR_KEY] });
  onTestFinished(simulator.close);
  const tee = await startTee(simulator.url);
  const server = await startTestServer(
    {
      ANTHROPIC_BASE_URL: tee.url,
      ANTHROPIC_API_KEY: VENDOR_KEY,
      OPENAI_BASE_URL: `${tee.url}/v1`,
      OPENAI_API_KEY: VENDOR_KEY,
      GOOGLE_GEMINI_BASE_URL: tee.url,
      GEMINI_API_KEY: VENDOR_KEY,
      ...env,
    },
    file,
  );
  onTestFinished(server.dispose);
  return { server, simulator, tee, at: (provider) => `${server.url}/gateway/${provider}` };
}

/** One request per protocol, with forms that nobody would write twice the same way. */
export const CALLS = [
  {
    protocol: 'anthropic-messages',
    provider: 'anthropic',
    path: () => '/v1/messages?beta=true',
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
    body: (stream: boolean) =>
      `{ "model":"sim-thinker","max_tokens" : 2000, "stream":${stream},\n "messages":[{"content":"What is a tree? \\u00e9 ü 🌳","role":"user"}]}`,
  },
  {
    protocol: 'openai-responses',
    provider: 'openai_responses',
    path: () => '/v1/responses',
    headers: { originator: 'codex_exec', 'session-id': 's-1' },
    body: (stream: boolean) =>
      `{"model":"sim-thinker","store":false, "stream":${stream},"input":[{"role":"user","content":[{"type":"input_text","text":"What is a tree? ü"}]}]}`,
  },
  {
    protocol: 'openai-chat',
    provider: 'openai',
    path: () => '/v1/chat/completions',
    headers: {},
    body: (stream: boolean) =>
      `{"stream":${stream}, "model":"sim-thinker","messages":[{"role":"user","content":"What is a tree? ü"}]}`,
  },
  {
    protocol: 'gemini',
    provider: 'gemini',
    path: (stream: boolean) =>
      stream
        ? '/v1beta/models/sim-thinker:streamGenerateContent?alt=sse'
        : '/v1beta/models/sim-thinker:generateContent',
    headers: { 'x-goog-api-client': 'google-genai-sdk/1.30.0 gl-node/20' },
    body: () => `{"contents":[{"role":"user", "parts":[{"text":"What is a tree? ü"}]}]}`,
  },
] as const;

export async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}
