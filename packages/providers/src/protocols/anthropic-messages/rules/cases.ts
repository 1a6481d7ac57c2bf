import { anthropic } from '../../../deployments/anthropic.ts';
import { traitsOf } from '../traits.ts';
import type { Body } from '../wire.ts';
import type { RuleContext } from './context.ts';

// A body that each rule accepts, and one that it refuses. Only for tests, and for the list of messages in the
// documents.

export const user = (...content: readonly unknown[]) => ({ role: 'user', content });
export const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const text = (words = 'Hello.') => ({ type: 'text', text: words });
const thought = { type: 'thinking', thinking: 'Hm.', signature: 's1' };
const call = (id = 'toolu_1', name = 'now') => ({ type: 'tool_use', id, name, input: {} });
const result = (id = 'toolu_1', change: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'six',
  ...change,
});
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const fallback = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } };
const tool = (change: object = {}) => ({ name: 'now', description: '', input_schema: { type: 'object' }, ...change });
const manual = { thinking: { type: 'enabled', budget_tokens: 2000 } };
const say = (...messages: readonly unknown[]): Body => ({ max_tokens: 4000, messages });
const loop = (...reply: readonly unknown[]) => [user(text()), assistant(...reply), user(result())];

export interface Case {
  /** Sonnet 4.5 by default. */
  readonly model?: string;
  readonly passes: Body;
  readonly fails: Body;
  readonly says: string;
  readonly context?: Partial<RuleContext>;
}

const OPUS_55 = 'claude-opus-5-5';

export const CASES: Readonly<Record<string, Case>> = {
  'ANT-SHAPE-1': {
    passes: say({ role: 'user', content: 'Hello.' }),
    fails: say('Hello.'),
    says: 'messages.0: Input does not match the expected shape.',
  },
  'ANT-SHAPE-2': {
    passes: say(user(text()), assistant({ ...thought, thinking: '' }, text()), user(text())),
    fails: say(user(text()), assistant({ type: 'thinking', signature: 's' }, text()), user(text())),
    says: 'messages.1.content.0.thinking.thinking: Field required',
  },
  'ANT-SHAPE-3': {
    passes: say(user(text()), assistant(thought, text()), user(text())),
    fails: say(user(text()), assistant({ type: 'thinking', thinking: 'Hm.' }, text()), user(text())),
    says: 'messages.1.content.0.thinking.signature: Field required',
  },
  'ANT-SHAPE-4': {
    passes: say(user(text()), assistant({ type: 'redacted_thinking', data: 'd' }, text()), user(text())),
    fails: say(user(text()), assistant({ type: 'redacted_thinking' }, text()), user(text())),
    says: 'messages.1.content.0.redacted_thinking.data: Field required',
  },
  'ANT-SHAPE-5': {
    passes: say(user(text()), assistant(thought, text()), user({ ...text(), cache_control: { type: 'ephemeral' } })),
    fails: say(user(text()), assistant({ ...thought, cache_control: {} }, text()), user(text())),
    says: 'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
  },
  'ANT-SHAPE-6': {
    passes: say(user(text('\ud83c\udf0a'))),
    fails: say(user(text('\ud83c'))),
    says: 'not valid JSON',
  },
  'ANT-SHAPE-7': {
    model: OPUS_55,
    passes: { ...say(user(text())), thinking: { type: 'adaptive' } },
    fails: { ...say(user(text())), thinking: { type: 'adaptive', block_binding: {} } },
    says: 'thinking.adaptive.block_binding: Extra inputs are not permitted',
  },
  'ANT-TOOL-1': {
    passes: { ...say(user(text())), tools: [tool({ name: 'files__read' })] },
    fails: { ...say(user(text())), tools: [tool({ name: 'files.read' })] },
    says: 'tools.0.custom.name: String should match pattern',
  },
  'ANT-TOOL-2': {
    passes: { ...say(user(text())), tools: [tool(), tool({ name: 'later' })] },
    fails: { ...say(user(text())), tools: [tool(), tool()] },
    says: 'tools: Tool names must be unique.',
  },
  'ANT-TOOL-3': {
    passes: {
      ...say(user(text())),
      tools: [tool({ input_schema: { type: 'object', properties: { a: { anyOf: [] } } } })],
    },
    fails: { ...say(user(text())), tools: [tool({ input_schema: { type: 'object', anyOf: [] } })] },
    says: 'input_schema does not support oneOf, allOf, or anyOf at the top level',
  },
  'ANT-TOOL-4': {
    passes: { ...say(user(text())), tools: [tool()], tool_choice: { type: 'none' } },
    fails: { ...say(user(text())), tool_choice: { type: 'none' } },
    says: 'tool_choice may only be specified while providing tools',
  },
  'ANT-TEXT-1': {
    passes: say(user(text())),
    fails: say(user(text(), text(''))),
    says: 'messages: text content blocks must be non-empty',
  },
  'ANT-TEXT-2': {
    passes: say(user(text(' a '))),
    fails: say(user(text(), text(' \n'))),
    says: 'messages: text content blocks must contain non-whitespace text',
  },
  'ANT-TEXT-3': {
    passes: say(user(text()), assistant(text()), user(text())),
    fails: say(user(text()), assistant(), user(text())),
    says: 'messages.1: all messages must have non-empty content',
  },
  'ANT-TEXT-4': {
    passes: say(user(text()), assistant(call()), user(result('toolu_1', { is_error: true }))),
    fails: say(user(text()), assistant(call()), user(result('toolu_1', { is_error: true, content: [] }))),
    says: 'messages.2.content.0.tool_result: content cannot be empty if `is_error` is true',
  },
  'ANT-TEXT-5': {
    passes: say(user(text()), assistant(call()), user(result('toolu_1', { content: [{ type: 'image' }] }))),
    fails: say(
      user(text()),
      assistant(call()),
      user(result('toolu_1', { is_error: true, content: [{ type: 'image' }, text()] })),
    ),
    says: 'all content must be type "text" if `is_error` is true',
  },
  'ANT-THINK-1': {
    passes: { ...say(...loop(thought, call())), ...manual },
    fails: { ...say(...loop(text(), call())), ...manual },
    says: 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is enabled',
  },
  'ANT-THINK-2': {
    passes: say(user(text()), assistant(thought, text()), user(text())),
    fails: say(user(text()), assistant(thought, text())),
    says: 'messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.',
  },
  'ANT-THINK-3': {
    passes: say(user(text()), assistant(thought, text()), user(text())),
    fails: say(user(text()), assistant(text(), thought), user(text())),
    says: 'messages.1: The final block in an assistant message cannot be `thinking`.',
  },
  'ANT-THINK-4': {
    passes: say(user(text()), assistant(text(), fallback, thought, text()), user(text())),
    fails: say(user(text()), assistant(thought, fallback, thought, text()), user(text())),
    says: 'messages.1.content.0: `thinking` blocks before the last `fallback` block',
  },
  'ANT-THINK-5': {
    passes: say(user({ type: 'compaction', content: 'c', signature: 's' }, text())),
    fails: say(user(text()), assistant({ type: 'compaction', content: 'c', signature: 's' }, text()), user(text())),
    says: 'a signed compaction block must come first',
  },
  'ANT-PAIR-1': {
    passes: say(...loop(call())),
    fails: say(user(text()), assistant(text(), call()), user(text(), result())),
    says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each',
  },
  'ANT-PAIR-2': {
    passes: say(user(text()), assistant(text()), assistant(call()), user(result()), user(text())),
    fails: say(user(text()), assistant(text()), user(result(), text())),
    says: 'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each',
  },
  'ANT-PAIR-3': {
    passes: say(...loop(text(), call())),
    fails: say(...loop(call(), text())),
    says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
  },
  'ANT-PAIR-4': {
    passes: say(user(text()), assistant(call(), call('toolu_2')), user(result(), result('toolu_2'))),
    fails: say(user(text()), assistant(call()), user(result(), result())),
    says: 'messages.2.content.1: each tool_use must have a single result.',
  },
  'ANT-PAIR-5': {
    passes: say(...loop(call()), assistant(call('toolu_2')), user(result('toolu_2'))),
    fails: say(...loop(call()), assistant(call()), user(result())),
    says: 'messages.3.content.0: `tool_use` ids must be unique',
  },
  'ANT-PAIR-6': {
    passes: say(...loop(call())),
    fails: say(user(text()), assistant(call('functions.now:0')), user(result('functions.now:0'))),
    says: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  'ANT-PAIR-7': {
    passes: say(user(text()), assistant(search, found, text()), user(text())),
    fails: say(user(text()), assistant(found, text()), user(text())),
    says: 'messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1.',
  },
  'ANT-PAIR-8': {
    passes: say(user(text()), assistant(search, call()), user(result())),
    fails: say(user(text()), assistant(search, call()), user(result(), text())),
    says: 'was found without a corresponding `web_search_tool_result` block',
  },
  'ANT-SET-1': {
    model: OPUS_55,
    passes: { ...say(user(text())), thinking: { type: 'adaptive' } },
    fails: { ...say(user(text())), ...manual },
    says: '"thinking.type.enabled" is not supported for this model.',
  },
  'ANT-SET-2': {
    passes: { ...say(user(text())), thinking: { type: 'enabled', budget_tokens: 1024 } },
    fails: { ...say(user(text())), thinking: { type: 'enabled', budget_tokens: 1000 } },
    says: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  },
  'ANT-SET-3': {
    passes: { ...say(user(text())), thinking: { type: 'enabled', budget_tokens: 3999 } },
    fails: { ...say(user(text())), thinking: { type: 'enabled', budget_tokens: 4000 } },
    says: '`max_tokens` must be greater than `thinking.budget_tokens`.',
  },
  'ANT-SET-4': {
    model: 'claude-opus-5',
    passes: { ...say(user(text())), thinking: { type: 'disabled' } },
    fails: { ...say(user(text())), thinking: { type: 'disabled', display: 'omitted' } },
    says: 'thinking.disabled.display: Extra inputs are not permitted',
  },
  'ANT-SET-5': {
    model: 'claude-sonnet-5-5',
    passes: { ...say(user(text())), thinking: { type: 'between_tools' }, output_config: { effort: 'high' } },
    fails: { ...say(user(text())), thinking: { type: 'between_tools', display: 'summarized' } },
    says: 'thinking.between_tools.display: Extra inputs are not permitted',
  },
  'ANT-SET-6': {
    model: 'claude-opus-5',
    passes: { ...say(user(text())), thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
    fails: { ...say(user(text())), thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    says: "thinking cannot be disabled at effort level 'max'",
  },
  'ANT-SET-7': {
    model: 'claude-opus-4-6',
    passes: { ...say(user(text())), output_config: { effort: 'max' } },
    fails: { ...say(user(text())), output_config: { effort: 'xhigh' } },
    says: "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  },
  'ANT-SET-8': {
    passes: { ...say(user(text())), temperature: 0.2 },
    fails: { ...say(user(text())), ...manual, temperature: 0.2 },
    says: '`temperature` may only be set to 1 when thinking is enabled.',
  },
  'ANT-SET-9': {
    model: OPUS_55,
    passes: { ...say(user(text())), tools: [tool()], tool_choice: { type: 'auto' } },
    fails: { ...say(user(text())), tools: [tool()], tool_choice: { type: 'any' } },
    says: 'tool_choice: type "tool" and "any" are not supported for this model.',
  },
  'ANT-SET-10': {
    passes: { ...say(user(text())), max_tokens: 64_000 },
    fails: { ...say(user(text())), max_tokens: 64_001 },
    says: 'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
  },
  'ANT-END-1': {
    model: OPUS_55,
    passes: say(user(text()), assistant(search)),
    fails: say(user(text()), assistant(text())),
    says: 'This model does not support assistant message prefill.',
  },
  'ANT-END-2': {
    passes: say(user(text()), assistant(text('The answer is'))),
    fails: say(user(text()), assistant(text('The answer is '))),
    says: 'messages: final assistant content cannot end with trailing whitespace',
  },
  'ANT-LOSS-1': {
    passes: say(user(text()), assistant(thought, text()), user(text())),
    fails: say(user(text()), assistant(text()), user(text())),
    says: '1 signed thinking block(s) did not reach the request.',
    context: { expected: { reasoning: ['s1'], thoughts: [] } },
  },
  'ANT-LOSS-2': {
    passes: say(user(text()), assistant(thought, text()), user(text('<thinking>mine</thinking>'))),
    fails: say(user(text()), assistant(text('Hm.'), text()), user(text())),
    says: 'messages.1.content.0: a thought is sent as text.',
    context: { expected: { reasoning: [], thoughts: ['Hm.'] } },
  },
  'ANT-LOSS-3': {
    passes: { ...say(...loop(thought, call())), ...manual },
    fails: say(...loop(thought, call())),
    says: 'The running tool loop began with thinking',
  },
  'ANT-LOSS-4': {
    passes: say(user(text(), text('And?'))),
    fails: say(user(text('Hello!')), assistant(text()), user(text())),
    says: 'messages.0.content.0 differs from the request before',
    context: { previous: say(user(text())) },
  },
  'ANT-LOSS-5': {
    passes: { ...say(user(text())), ...manual, tools: [tool()] },
    fails: { ...say(...loop(thought, call())), ...manual, tools: [tool()] },
    says: 'Without its beta header, the model does not think again',
  },
};

export function contextOf({ model = 'claude-sonnet-4-5', context }: Case): RuleContext {
  const info = anthropic.modelInfo(model);
  return { model: info, traits: traitsOf(info), betas: [], ...context };
}
