import type { ModelMessage } from 'ai';
import type { ReplayReason } from '../report/index.ts';
import type { Conversations } from './conversations.ts';
import { BUDGET, ENCRYPTED, exchange, mapReplies, said, THOUGHTS, withoutMetadata } from './conversations.ts';
import type { Ask, Vendor } from './lab.ts';
import { user } from './lab.ts';

/** A conversation that a provider refuses unless it is changed. */
export interface RefusedCase {
  readonly name: string;
  readonly to: readonly [Vendor, string];
  readonly history: (made: Conversations) => readonly ModelMessage[];
  readonly options?: Ask;
  /** What the provider says without the bridge. */
  readonly refusal: { readonly status: number; readonly words: RegExp };
  /** Version 7 of the AI SDK does not send it like that any more. */
  readonly onlyIn6?: true;
  /** What the bridge must report. */
  readonly reported: ReplayReason | `setting:${string}`;
  /** What the accepted body must contain, and what it must not. */
  readonly sends?: string;
  readonly never?: string;
}

const OPUS = ['claude', 'claude-opus-4-5'] as const;
const GPT = ['gpt', 'gpt-5'] as const;
const GEMINI = ['gemini', 'gemini-3.8-flash'] as const;
const refused = (words: RegExp, status = 400) => ({ status, words });
const DONE = [said('It is 2.'), user('And now?')];

export const REFUSED: readonly RefusedCase[] = [
  {
    name: 'a tool loop whose thought the user interface lost',
    to: OPUS,
    history: ({ opus }) => withoutMetadata(opus),
    options: BUDGET,
    refusal: refused(/Expected `thinking` or `redacted_thinking`/),
    reported: 'setting:anthropic.thinking',
    sends: '"thinking":{"type":"disabled"}',
  },
  {
    name: 'a thought that was edited',
    to: OPUS,
    history: ({ opus }) =>
      mapReplies(opus, (parts) =>
        parts.map((part) => (part.type === 'reasoning' ? { ...part, text: 'Something better.' } : part)),
      ),
    options: BUDGET,
    refusal: refused(/cannot be modified/),
    reported: 'thinking_damaged',
    never: 'Something better.',
  },
  {
    name: 'a placeholder in the place of a thought',
    to: OPUS,
    history: ({ opus }) =>
      mapReplies(withoutMetadata(opus), (parts) => [
        { type: 'reasoning', text: '…', providerOptions: { anthropic: { signature: 'placeholder' } } },
        ...parts,
      ]),
    options: BUDGET,
    refusal: refused(/Invalid `signature`/),
    reported: 'thinking_not_replayable',
    never: 'placeholder',
  },
  {
    name: 'a thought that another server signed',
    to: OPUS,
    history: ({ proxied }) => proxied,
    options: BUDGET,
    refusal: refused(/Invalid `signature`/),
    reported: 'model_break',
    never: '"signature"',
  },
  {
    name: 'redacted thinking of another server',
    to: OPUS,
    history: ({ proxiedRedacted }) => proxiedRedacted,
    options: BUDGET,
    refusal: refused(/Invalid `signature`/),
    reported: 'thinking_not_replayable',
    never: 'redacted_thinking',
  },
  {
    name: 'a thought that is bound to a prefix which has changed',
    to: ['claude', 'claude-fable-5-2'],
    history: ({ fable }) => fable,
    options: { system: 'Be brief.' },
    refusal: refused(/bound to a different conversation/),
    reported: 'thinking_prefix_changed',
    never: '"signature"',
  },
  {
    name: 'a reply that broke off behind its thought',
    to: OPUS,
    history: ({ opus }) => [...mapReplies(opus.slice(0, 2), (parts) => parts.slice(0, 1)), user('Go on.')],
    options: BUDGET,
    refusal: refused(/final block in an assistant message cannot be `thinking`/),
    reported: 'thinking_not_replayable',
    never: '"signature"',
  },
  {
    name: 'reasoning for a model that does not reason',
    to: ['gpt', 'gpt-4o'],
    history: ({ gpt }) => gpt,
    options: ENCRYPTED,
    refusal: refused(/can only be provided to a reasoning/),
    reported: 'model_break',
    never: 'encrypted_content":"',
  },
  {
    name: 'a reply that was never stored, asked for by reference',
    to: GPT,
    history: ({ gpt }) => gpt,
    refusal: refused(/not found/, 404),
    reported: 'setting:openai.store',
    sends: '"encrypted_content":"',
    never: 'item_reference',
  },
  {
    name: 'reasoning without its encrypted content',
    to: GPT,
    history: ({ gpt }) =>
      mapReplies(gpt, (parts) =>
        parts.map((part) =>
          part.type === 'reasoning'
            ? { ...part, providerOptions: { openai: { itemId: `rs_${'0'.repeat(48)}` } } }
            : part,
        ),
      ),
    options: ENCRYPTED,
    refusal: refused(/of type 'message' was provided without its required preceding item/),
    onlyIn6: true,
    reported: 'thinking_damaged',
    never: '"type":"reasoning"',
  },
  {
    name: 'reasoning that nothing follows',
    to: GPT,
    history: ({ gpt }) => [...mapReplies(gpt.slice(0, 2), (parts) => parts.slice(0, 1)), user('Go on.')],
    options: ENCRYPTED,
    refusal: refused(/without its required following item/),
    reported: 'thinking_not_replayable',
    never: '"type":"reasoning"',
  },
  {
    name: 'a signature of another Gemini',
    to: ['gemini', 'gemini-3.1-pro-preview'],
    history: ({ gemini }) => gemini,
    options: THOUGHTS,
    refusal: refused(/Invalid thought signature/),
    reported: 'signature_skipped',
    sends: 'skip_thought_signature_validator',
  },
  {
    name: 'a signature of an older Gemini',
    to: GEMINI,
    history: ({ gemini25 }) => gemini25,
    options: THOUGHTS,
    refusal: refused(/Invalid thought signature/),
    reported: 'model_break',
  },
  {
    name: 'a conversation whose beginning was cut off before a call',
    to: GEMINI,
    history: () => exchange('a'),
    options: THOUGHTS,
    refusal: refused(/function call turn comes immediately after/),
    reported: 'asked_to_continue',
  },
  {
    name: 'a reply that has the last word (Gemini)',
    to: GEMINI,
    history: () => [user('Hello.'), said('Well,')],
    refusal: refused(/ending with a model turn/),
    reported: 'asked_to_continue',
    sends: '"Continue."',
  },
  {
    name: 'a reply that has the last word (Claude)',
    to: ['claude', 'claude-sonnet-5-5'],
    history: () => [user('Hello.'), said('Well,')],
    refusal: refused(/does not support assistant message prefill/),
    reported: 'asked_to_continue',
    sends: '"Continue."',
  },
  {
    name: 'a result that was stored twice (Claude)',
    to: OPUS,
    history: ({ opus }) => [...opus, ...opus.slice(2)],
    options: BUDGET,
    refusal: refused(/each tool_use must have a single result/),
    reported: 'tool_result_without_call',
    sends: '"signature":"',
  },
  {
    name: 'a result that was stored twice (Gemini)',
    to: GEMINI,
    history: ({ gemini }) => [...gemini, ...gemini.slice(2)],
    options: THOUGHTS,
    refusal: refused(/number of function response parts/),
    reported: 'tool_result_without_call',
  },
  {
    name: 'a result whose call is gone (Claude)',
    to: OPUS,
    history: ({ opus }) => [user('Hello.'), ...opus.slice(2), user('Go on.')],
    refusal: refused(/unexpected `tool_use_id`/),
    reported: 'tool_result_without_call',
    never: 'tool_result',
  },
  {
    name: 'a result whose call is gone (OpenAI)',
    to: GPT,
    history: ({ gpt }) => [user('Hello.'), ...gpt.slice(2), user('Go on.')],
    options: ENCRYPTED,
    refusal: refused(/No tool call found/),
    reported: 'tool_result_without_call',
    never: 'function_call_output',
  },
  {
    name: 'a result whose call is gone (Gemini)',
    to: GEMINI,
    history: ({ gemini }) => [user('Hello.'), ...gemini.slice(2), user('Go on.')],
    refusal: refused(/function response turn comes immediately after/),
    reported: 'tool_result_without_call',
    never: 'functionResponse',
  },
  {
    name: 'an id in letters that Claude does not take',
    to: OPUS,
    history: () => [user('Add.'), ...exchange('functions.calculator:0')],
    refusal: refused(/should match pattern/),
    reported: 'tool_id_rewritten',
    never: 'functions.calculator:0',
  },
  {
    name: 'an id that is too long for the Responses API',
    to: GPT,
    history: () => [user('Add.'), ...exchange('x'.repeat(80))],
    options: ENCRYPTED,
    refusal: refused(/string too long/),
    reported: 'tool_id_rewritten',
    never: 'x'.repeat(80),
  },
  {
    name: 'an id that is too long for the chat API',
    to: ['chat', 'gpt-4.1'],
    history: () => [user('Add.'), ...exchange('x'.repeat(50))],
    refusal: refused(/string too long/),
    reported: 'tool_id_rewritten',
    never: 'x'.repeat(50),
  },
  {
    name: 'ids that count from zero in every reply',
    to: OPUS,
    history: () => [user('Add.'), ...exchange('call_0'), said('It is 2.'), user('Again.'), ...exchange('call_0')],
    refusal: refused(/ids must be unique/),
    reported: 'tool_id_rewritten',
  },
  {
    name: 'a tool name of another provider (Claude)',
    to: OPUS,
    history: () => [user('Add.'), ...exchange('a', 'my.calculator'), ...DONE],
    refusal: refused(/tool_use\.name: String should match pattern/),
    reported: 'tool_name_rewritten',
    sends: 'my_calculator',
    never: 'my.calculator',
  },
  {
    name: 'a tool name of another provider (OpenAI)',
    to: GPT,
    history: () => [user('Add.'), ...exchange('a', 'my calculator'), ...DONE],
    options: ENCRYPTED,
    refusal: refused(/does not match pattern/),
    reported: 'tool_name_rewritten',
    never: 'my calculator',
  },
  {
    name: 'a blank text in a reply',
    to: OPUS,
    history: () => [
      user('Hello.'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '\n' },
          { type: 'text', text: 'Hi.' },
        ],
      },
      user('Go on.'),
    ],
    refusal: refused(/must contain non-whitespace text/),
    reported: 'empty',
  },
  {
    name: 'an empty question',
    to: OPUS,
    history: () => [user('Hello.'), said('Hi.'), user('')],
    refusal: refused(/must be non-empty/),
    reported: 'empty',
  },
  {
    name: 'a blank question',
    to: OPUS,
    history: () => [user(' '), said('Hi.'), user('Go on.')],
    refusal: refused(/must contain non-whitespace text/),
    reported: 'empty',
  },
];
