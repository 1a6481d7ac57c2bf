import type { Deployment } from '../../../../deployment.ts';
import type { Json } from '../../response/json.ts';
import { serverWith } from '../../testing.ts';

// A case of a rule, and the parts that cases are made of. Only for tests.

export const ask = { role: 'user', content: 'Weather?' };
export const say = { role: 'assistant', content: 'Rain.' };
export const call = (id = 'call_1', more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: '{}' },
  ...more,
});
export const calling = (calls: readonly object[] = [call()], more: object = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
  ...more,
});
export const result = (id = 'call_1') => ({ role: 'tool', tool_call_id: id, content: 'Rain.' });
export const tools = [{ type: 'function', function: { name: 'weather', description: '', parameters: {} } }];
export const chat = (...messages: readonly object[]): Json => ({ messages });
export const details = (...entries: readonly object[]) => ({ ...say, reasoning_details: entries });
export const parts = (...entries: readonly object[]) => ({ role: 'assistant', content: entries });
export const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
export const signed = call('a', { extra_content: { google: { thought_signature: 's' } } });

export interface Case {
  readonly rule: string;
  readonly server: Deployment;
  readonly model?: string;
  readonly passes: Json;
  readonly fails: Json;
  /** The provider's words, or how they begin. */
  readonly says: string;
  readonly status?: number;
  /** False if no change is safe. */
  readonly repairs?: boolean;
}

export const llamacpp = serverWith({
  dialect: 'llamacpp',
  lastMessage: 'not_assistant',
  thinking: 'chat_template_kwargs',
});
export const qwen = serverWith({
  dialect: 'dashscope',
  reasoning: 'reasoning_content',
  keepsReasoning: 'preserve_thinking',
  thinking: 'enable_thinking',
  forcedToolChoice: 'rejected',
  thinkingNeedsStream: true,
});
