import { anthropic } from '../../../deployments/anthropic.ts';
import { traitsOf } from '../traits.ts';
import type { Body } from '../wire.ts';
import { FILE_CASES } from './cases/files.ts';
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
const webSearch = (change: object = {}) => ({ type: 'web_search_20250305', name: 'web_search', ...change });
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
  /** 400 if absent. */
  readonly status?: number;
  /** The code of the refusal, if it has one. */
  readonly code?: string;
  /** The model for which it fails, if not the one for which it passes. */
  readonly failsFor?: string;
  readonly context?: Partial<RuleContext>;
}

const OPUS_55 = 'claude-opus-5-5';
const NEW_VERSION = { version: '2026-10-21' };

export const system = (...content: readonly unknown[]) => ({ role: 'system', content });
const reference = (name = 'later') => ({ type: 'tool_reference', name });
const addition = (added: object = reference()) => ({ type: 'tool_addition', tool: added });
const inline = (definition: object) => addition({ type: 'tool_definition', definition });
const CHANGES = { betas: ['mid-conversation-tool-changes-2026-07-01', 'inline-tools-2026-09-15'] };
const SYSTEM_EXTRAS = {
  betas: ['mid-conversation-output-config-2026-07-01', 'mid-conversation-system-clear-at-2026-08-21'],
};

/** Code that calls a tool of the client, and waits for its result. */
const program = { type: 'server_tool_use', id: 'srvtoolu_9', name: 'code_execution', input: { code: 'now()' } };
const ran = { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_9', content: {} };
const byProgram = (id = 'toolu_1') => ({
  ...call(id),
  caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_9' },
});
const CONTAINER = { container: 'container_1' };

const searched = { type: 'server_tool_use', id: 'srvtoolu_2', name: 'tool_search_tool_regex', input: {} };
const foundTool = (name: string) => ({
  type: 'tool_search_tool_result',
  tool_use_id: 'srvtoolu_2',
  content: { type: 'tool_search_tool_search_result', tool_references: [{ type: 'tool_reference', tool_name: name }] },
});
const toolset = { type: 'mcp_toolset', mcp_server_name: 'files' };
const server = { type: 'url', url: 'https://files.example', name: 'files' };
const marked = (words: string, ttl = '5m') => ({ ...text(words), cache_control: { type: 'ephemeral', ttl } });
const page = (change: object = {}) => ({
  ...found,
  content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'e', ...change }],
});

export const CASES: Readonly<Record<string, Case>> = {
  ...FILE_CASES,
  'ANT-SHAPE-1': {
    passes: say({ role: 'user', content: 'Hello.' }),
    fails: say('Hello.'),
    says: 'messages.0: Input does not match the expected shape.',
  },
  'ANT-SYS-1': {
    model: OPUS_55,
    passes: say(user(text()), { role: 'system', content: 'Be brief.' }),
    fails: say(user(text()), { role: 'system', content: 'Be brief.' }),
    failsFor: 'claude-sonnet-5',
    says: "role 'system' is not supported on this model",
  },
  'ANT-SYS-2': {
    model: OPUS_55,
    passes: say(user(text()), system(text()), assistant(search, found), system(text())),
    fails: say(user(text()), system(text()), user(text())),
    says: 'messages.1: a `system` message must follow a `user` message',
  },
  'ANT-SYS-3': {
    model: OPUS_55,
    passes: say(
      { role: 'system', output_config: { effort: 'high' } },
      { role: 'system', output_config: { effort: 'low' }, content: [] },
      user(text()),
      { role: 'system', clear_at: 'next_user_message', content: 'Hurry.' },
    ),
    fails: say(user(text()), {
      role: 'system',
      clear_at: 'next_user_message',
      output_config: { effort: 'low' },
      content: 'Hurry.',
    }),
    says: 'messages.1.clear_at: a message with `clear_at` may hold text only',
    context: SYSTEM_EXTRAS,
  },
  'ANT-BETA-1': {
    passes: say(user(text()), assistant(search, found, text()), user(text())),
    fails: { ...say(user(text())), thread: { type: 'create' } },
    says: 'thread: Extra inputs are not permitted',
  },
  'ANT-VER-1': {
    passes: say(user({ type: 'document' }), assistant(text()), user(text())),
    fails: say(user(text()), assistant({ type: 'document' }, text()), user(text())),
    says: 'messages.1.content.0: `document` blocks are not permitted in `assistant` messages',
    context: NEW_VERSION,
  },
  'ANT-VER-2': {
    passes: say(user(text()), assistant({ ...text(), citations: [{}] }), user({ ...text(), citations: [] })),
    fails: say(user({ ...text(), citations: [{}] })),
    says: 'messages.0.content.0.text.citations: `citations` are not permitted',
    context: NEW_VERSION,
  },
  'ANT-TOOL-5': {
    model: OPUS_55,
    passes: {
      ...say(
        user(text()),
        system(addition(), inline(tool({ name: 'inline' }))),
        assistant(text()),
        user(text()),
        system({ type: 'tool_removal', tool: reference('inline') }),
      ),
      tools: [tool(), tool({ name: 'later', defer_loading: true })],
    },
    fails: { ...say(user(text()), system(addition())), tools: [tool()] },
    says: "messages.1.content.0: 'later' is not defined",
    code: 'tool_reference_unresolved',
    context: CHANGES,
  },
  'ANT-TOOL-6': {
    model: OPUS_55,
    passes: { ...say(user(text()), system(inline(tool({ name: 'later' })))), tools: [tool()] },
    fails: {
      ...say(user(text()), system(inline({ type: 'bash_20250124', name: 'now' }))),
      tools: [tool()],
    },
    says: "messages.1.content.0: the name 'now' belongs to an available tool of another kind",
    code: 'tool_name_conflict',
    context: CHANGES,
  },
  'ANT-TOOL-7': {
    passes: { ...say(user(text())), tools: [tool(), tool({ name: 'later', defer_loading: true })] },
    fails: { ...say(user(text())), tools: [tool({ defer_loading: true })] },
    says: 'At least one tool must have defer_loading=false. All tools cannot be deferred.',
  },
  'ANT-TOOL-8': {
    passes: { ...say(user(text()), assistant(searched, foundTool('now'), text()), user(text())), tools: [tool()] },
    fails: { ...say(user(text()), assistant(searched, foundTool('gone'), text()), user(text())), tools: [tool()] },
    says: "Tool reference 'gone' not found in available tools",
  },
  'ANT-TOOL-9': {
    passes: { ...say(user(text())), tools: [toolset], mcp_servers: [server] },
    fails: { ...say(user(text())), tools: [toolset], mcp_servers: [] },
    says: "mcp_toolset references MCP server 'files'",
    context: { betas: ['mcp-client-2025-11-20'] },
  },
  'ANT-TOOL-10': {
    passes: { ...say(user(text())), tools: [webSearch({ allowed_domains: ['a.example'] })] },
    fails: {
      ...say(user(text())),
      tools: [webSearch({ allowed_domains: ['a.example'], blocked_domains: ['b.example'] })],
    },
    says: 'tools.0: Only one of allowed_domains or blocked_domains may be set.',
  },
  'ANT-TOOL-14': {
    passes: { ...say(user(text())), tools: [webSearch({ blocked_domains: null })] },
    fails: { ...say(user(text())), tools: [webSearch({ allowed_domains: [] })] },
    says: 'allowed_domains: Empty list of domains is ambiguous. Provide at least one domain or null.',
  },
  'ANT-TOOL-15': {
    model: 'claude-haiku-4-5',
    passes: {
      ...say(user(text())),
      tools: [webSearch({ type: 'web_search_20260209', allowed_callers: ['direct'] })],
    },
    fails: { ...say(user(text())), tools: [webSearch({ type: 'web_search_20260209' })] },
    says: "'claude-haiku-4-5' does not support programmatic tool calling.",
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
  'ANT-SHAPE-8': {
    passes: say(user(text()), assistant(search, page(), text()), user(text())),
    fails: say(user(text()), assistant(search, page({ encrypted_content: null }), text()), user(text())),
    says: 'messages.1.content.1.web_search_tool_result.content.0.encrypted_content: Field required',
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
  'ANT-TOOL-11': {
    model: 'claude-fable-5-2',
    passes: {
      ...say(user(text())),
      tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-mythos-5-2' }],
    },
    fails: { ...say(user(text())), tools: [{ type: 'advisor_20260301', name: 'advisor', model: OPUS_55 }] },
    says: "tools.0.model: 'claude-opus-5-5' cannot advise this model",
    context: { betas: ['advisor-tool-2026-03-01'] },
  },
  'ANT-TOOL-12': {
    passes: {
      ...say(user(text()), assistant({ ...search, name: 'advisor' })),
      tools: [{ type: 'advisor_20260301', name: 'advisor', model: OPUS_55 }],
    },
    fails: say(user(text()), assistant({ ...search, name: 'advisor' })),
    says: 'messages.1.content.0: `advisor` was called, but no `advisor` tool was provided',
    context: { betas: ['advisor-tool-2026-03-01'] },
  },
  'ANT-TOOL-13': {
    passes: {
      ...say(user(text())),
      tools: [
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'code_execution_20250825', name: 'code_execution' },
      ],
    },
    fails: {
      ...say(user(text())),
      tools: [
        { type: 'web_search_20260209', name: 'web_search' },
        { type: 'code_execution_20250825', name: 'code_execution' },
      ],
    },
    says: "tools.1: 'code_execution_20250825' cannot be used with a web tool of this version",
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
    code: 'compaction_block_misplaced',
    context: { betas: ['compact-2026-09-04'] },
  },
  'ANT-THINK-6': {
    passes: say(user(text()), assistant({ type: 'compaction', content: null }, text()), user(text())),
    fails: say(user(text()), assistant({ type: 'compaction', content: '' }, text()), user(text())),
    says: 'messages.1.content.0.compaction.content: compaction content must be non-empty',
    context: { betas: ['compact-2026-01-12'] },
  },
  'ANT-THINK-7': {
    passes: { ...say(user(text()), assistant(text())), compaction: { type: 'summarize' } },
    fails: { ...say(user(text()), assistant(call())), compaction: { type: 'summarize' } },
    says: 'messages: the last assistant turn is not finished',
    code: 'compaction_incomplete_turn',
    context: { betas: ['compact-2026-09-04'] },
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
    passes: {
      ...say(
        user(text()),
        assistant(program, byProgram()),
        user(result()),
        assistant(byProgram('toolu_2')),
        user(result('toolu_2')),
      ),
      ...CONTAINER,
    },
    fails: say(user(text()), assistant(search, call()), user(result(), text())),
    says: 'was found without a corresponding `web_search_tool_result` block',
  },
  'ANT-PAIR-9': {
    passes: { ...say(...loop(program, byProgram())), ...CONTAINER },
    fails: say(...loop(program, byProgram())),
    says: 'container_id is required when there are pending tool uses',
  },
  'ANT-PAIR-10': {
    passes: say(...loop(program, byProgram()), assistant(ran, text()), user(text())),
    fails: say(...loop(byProgram()), assistant(text()), user(text())),
    says: 'messages.1.content.0.tool_use.caller: no code execution call with id `srvtoolu_9` was found',
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
  'ANT-SET-11': {
    passes: { ...say(user(text())), max_tokens: 0 },
    fails: { ...say(user(text())), max_tokens: 0, stream: true },
    says: 'stream: not supported when `max_tokens` is 0',
  },
  'ANT-SET-12': {
    passes: {
      ...say(user(text())),
      context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'clear_tool_uses_20250919' }] },
    },
    fails: {
      ...say(user(text())),
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'clear_thinking_20251015' }] },
    },
    says: 'context_management.edits.1: `clear_thinking_20251015` must be the first edit',
    context: { betas: ['context-management-2025-06-27'] },
  },
  'ANT-CACHE-1': {
    passes: say(user(marked('1'), marked('2'), marked('3'), marked('4'))),
    fails: { ...say(user(marked('1'), marked('2'), marked('3'), marked('4'))), cache_control: { type: 'ephemeral' } },
    says: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  'ANT-CACHE-2': {
    passes: say(user(marked('1', '1h'), marked('2'))),
    fails: say(user(marked('1'), marked('2', '1h'))),
    says: "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'",
  },
  'ANT-CACHE-3': {
    passes: { ...say(user(text())), tools: [tool(), tool({ name: 'later', defer_loading: true })] },
    fails: {
      ...say(user(text())),
      tools: [tool(), tool({ name: 'later', defer_loading: true, cache_control: { type: 'ephemeral' } })],
    },
    says: 'tools.1: a tool with defer_loading=true cannot have cache_control set',
  },
  'ANT-CACHE-4': {
    passes: {
      ...say(user({ ...text(), cache_control: { type: 'ephemeral' } })),
      cache_control: { type: 'ephemeral' },
    },
    fails: {
      ...say(user({ ...text(), cache_control: { type: 'ephemeral' } })),
      cache_control: { type: 'ephemeral', ttl: '1h' },
    },
    says: 'messages.0.content.0.cache_control.ttl: differs from the ttl of the automatic cache_control',
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

export function contextOf({ model = 'claude-sonnet-4-5', context }: Pick<Case, 'model' | 'context'>): RuleContext {
  const info = anthropic.modelInfo(model);
  return { model: info, traits: traitsOf(info), betas: [], version: '2023-06-01', ...context };
}

/** Where the failing body of a case fails. */
export function failingContext(example: Case): RuleContext {
  return contextOf({ ...example, ...(example.failsFor !== undefined && { model: example.failsFor }) });
}
