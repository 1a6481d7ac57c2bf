import type { UIMessage } from 'ai';
import fc from 'fast-check';

type Part = UIMessage['parts'][number];

const text = fc.oneof(fc.string(), fc.constantFrom('', ' ', 'Hello.', '你好 👩‍💻', '\ud800'));
const json = fc.jsonValue({ maxDepth: 2 });
const optional = { requiredKeys: [] };

const stamp = fc.record({
  provider: fc.constantFrom('anthropic', 'openai_responses', 'gemini', 'anthropic@proxy', 'lab'),
  model: fc.constantFrom('claude-opus-4-5', 'gpt-5'),
  thoughts: fc.array(fc.constantFrom('0123456789ab', 'ffffffffffff'), { maxLength: 2 }),
});

/** Metadata of every provider that seals reasoning, stamped or not, with fields that nobody knows. */
const metadata = fc.record(
  {
    anthropic: fc.record(
      { signature: fc.string(), redactedData: fc.string(), caller: fc.constant({ type: 'direct' }) },
      optional,
    ),
    openai: fc.record({ itemId: fc.string(), reasoningEncryptedContent: fc.string() }, optional),
    google: fc.record({ thoughtSignature: fc.string() }, optional),
    other: fc.record({ x: fc.integer() }),
    bough: stamp,
  },
  optional,
);
const state = fc.constantFrom('streaming' as const, 'done' as const);

const toolCallId = fc.constantFrom('call-1', 'call-2', 'functions.f:0');
const approval = (approved: boolean | undefined) => ({
  id: 'approval-1',
  ...(approved !== undefined && { approved }),
  ...(approved === false && { reason: 'No.' }),
});

/** Every state that a tool part can be in, with the fields of that state. */
const toolState = fc.oneof(
  fc.record({ state: fc.constant('input-streaming'), input: json, rawInput: fc.string() }, { requiredKeys: ['state'] }),
  fc.record({ state: fc.constant('input-available'), input: json }),
  fc.record({ state: fc.constant('approval-requested'), input: json, approval: fc.constant(approval(undefined)) }),
  fc.record({ state: fc.constant('approval-responded'), input: json, approval: fc.constant(approval(true)) }),
  fc.record(
    { state: fc.constant('output-available'), input: json, output: fc.oneof(text, json), preliminary: fc.boolean() },
    { requiredKeys: ['state', 'input', 'output'] },
  ),
  fc.record(
    { state: fc.constant('output-error'), input: json, rawInput: json, errorText: text },
    { requiredKeys: ['state', 'errorText'] },
  ),
  fc.record({ state: fc.constant('output-denied'), input: json, approval: fc.constant(approval(false)) }),
);
const toolName = fc.oneof(
  fc.record({ type: fc.constantFrom('tool-calculator', 'tool-my-search') }),
  fc.record({ type: fc.constant('dynamic-tool'), toolName: fc.constantFrom('calculator', 'x') }),
);
const toolPart = fc
  .tuple(
    toolName,
    fc.record({ toolCallId }),
    toolState,
    fc.record(
      { callProviderMetadata: metadata, resultProviderMetadata: metadata, title: text, providerExecuted: fc.boolean() },
      optional,
    ),
  )
  .map((pieces) => Object.assign({}, ...pieces) as Part);

const required = (...requiredKeys: string[]) => ({ requiredKeys }) as { requiredKeys: never[] };

const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.constant({ type: 'step-start' as const }),
  fc.record({ type: fc.constant('text'), text, state, providerMetadata: metadata }, required('type', 'text')),
  fc.record(
    { type: fc.constant('reasoning'), text, state, providerMetadata: metadata, id: fc.string() },
    required('type', 'text'),
  ),
  toolPart,
  fc.record({ type: fc.constant('source-url'), sourceId: fc.string(), url: fc.webUrl() }),
  fc.record({ type: fc.constant('file'), mediaType: fc.constant('image/png'), url: fc.constant('data:,x') }),
  fc.record({ type: fc.constantFrom('data-weather', 'data-bough-block'), data: json }),
  fc.record({ type: fc.constantFrom('from-the-future'), payload: json }),
) as fc.Arbitrary<Part>;

/** A conversation of an application, sound or not: any parts in any order, metadata of its own. */
export const anyUIMessages: fc.Arbitrary<UIMessage[]> = fc
  .array(
    fc.record(
      {
        role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const, 'assistant' as const),
        parts: fc.array(anyPart, { maxLength: 6 }),
        metadata: fc.oneof(fc.record({ model: text }), fc.string(), fc.constant(null)),
      },
      { requiredKeys: ['role', 'parts'] },
    ),
    { maxLength: 5 },
  )
  .map((messages) => messages.map((message, index) => ({ id: `m${index}`, ...message })));
