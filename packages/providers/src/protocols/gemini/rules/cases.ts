import { gemini as deployment } from '../../../deployments/gemini.ts';
import { SKIP_SIGNATURE } from '../signature.ts';
import { traitsOf } from '../traits.ts';
import { FILE_CASES } from './cases/files.ts';
import type { RuleContext } from './context.ts';

// A body that each rule accepts, and one that it refuses. Only for tests, and for the list of messages in the
// documents.

export const NEW = 'gemini-3.8-flash';
export const OLD = 'gemini-2.5-flash';
export const PRO = 'gemini-2.5-pro';

export const user = (...parts: readonly unknown[]) => ({ role: 'user', parts });
export const model = (...parts: readonly unknown[]) => ({ role: 'model', parts });
export const ask = user({ text: 'hi' });
export const call = (name = 'f', id?: string) => ({ functionCall: { ...(id && { id }), name, args: {} } });
export const signed = (name = 'f', id?: string) => ({ ...call(name, id), thoughtSignature: 'c2ln' });
export const done = (name = 'f', id?: string) => ({
  functionResponse: { ...(id && { id }), name, response: { output: 'ok' } },
});
/** A PNG of one pixel, as far as its header goes. */
const TINY = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAAAA';
const thinking = (thinkingConfig: unknown) => ({ contents: [ask], generationConfig: { thinkingConfig } });
export const declare = (...functionDeclarations: readonly unknown[]) => ({
  contents: [ask],
  tools: [{ functionDeclarations }],
});

export interface Case {
  readonly good: unknown;
  readonly bad: unknown;
  readonly model?: string;
  /** What the provider says, or a part of it. */
  readonly says?: string;
  /** The repaired body; absent if the rule repairs nothing. */
  readonly healed?: unknown;
  readonly replayed?: RuleContext['replayed'];
}

export const CASES: Readonly<Record<string, Case>> = {
  ...FILE_CASES,
  'GEM-SHAPE-1': {
    good: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], system_instruction: { parts: [{ text: 's' }] } },
    bad: { contents: [{ role: 'user', parts: [{ text: 'hi', cache_control: 1 }], id: 'x' }], metadata: {} },
    says: `Invalid JSON payload received. Unknown name "cache_control" at 'contents[0].parts[0]': Cannot find field.`,
    healed: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  },
  'GEM-SHAPE-2': {
    good: { contents: [ask, model(signed()), user(done())] },
    bad: { contents: [ask, model(signed()), user({ functionResponse: { name: 'f', response: 'text' } })] },
    says: `Invalid value at 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct)`,
  },
  'GEM-SHAPE-3': {
    good: { contents: [user({ text: 'a' }, { inlineData: { mimeType: 'image/png', data: TINY } })] },
    bad: { contents: [user({ text: 'a', inlineData: { mimeType: 'image/png', data: 'AAAA' } })] },
    says: `oneof field 'data' is already set`,
  },
  'GEM-SHAPE-4': {
    good: {
      contents: [ask, model({ text: '', thoughtSignature: 'c2ln' }, { thought: true, thoughtSignature: 'c2ln' }), ask],
    },
    bad: { contents: [ask, model({ text: 'a' }, {}), ask] },
    says: `* GenerateContentRequest.contents[1].parts[1].data: required oneof field 'data' must have one initialized field`,
    healed: { contents: [ask, model({ text: 'a' }), ask] },
  },
  'GEM-SHAPE-5': {
    good: { contents: [ask] },
    bad: { contents: [ask, model(), ask] },
    says: 'contents[1].parts',
    healed: { contents: [ask, ask] },
  },
  'GEM-SHAPE-6': { good: { contents: [ask] }, bad: { contents: [] }, says: 'contents is not specified' },
  'GEM-ROLE-1': {
    good: { contents: [{ parts: [{ text: 'hi' }] }, model({ text: 'a' }), ask] },
    bad: { contents: [{ role: 'system', parts: [{ text: 'hi' }] }, ask] },
    says: 'Please use a valid role: user, model.',
  },
  'GEM-ROLE-2': {
    good: { contents: [ask, model({ text: 'a' }), ask] },
    bad: { contents: [ask, model({ text: 'a' })] },
    says: 'Requests ending with a model turn are not supported.',
    healed: { contents: [ask, model({ text: 'a' }), user({ text: 'Continue.' })] },
  },
  'GEM-ROLE-3': {
    good: { contents: [ask, model(signed()), user(done()), ask] },
    bad: { contents: [ask, model(signed()), user(done(), { text: 'and?' })] },
    says: 'Requests ending with a model turn are not supported.',
    healed: { contents: [ask, model(signed()), user(done()), user({ text: 'and?' })] },
  },
  'GEM-ROLE-4': {
    good: { contents: [ask, model(signed()), { role: 'function', parts: [done()] }] },
    bad: { contents: [ask, user(call()), model(done())] },
    says: 'comes immediately after',
    healed: { contents: [ask] },
  },
  'GEM-PAIR-1': {
    good: { contents: [ask, model(signed()), user(done()), model(signed()), user(done())] },
    bad: { contents: [model(signed()), user(done())] },
    says: 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    healed: {
      contents: [
        user({ text: '(The beginning of this conversation is not included.)' }),
        model(signed()),
        user(done()),
      ],
    },
  },
  'GEM-PAIR-2': {
    good: { contents: [ask, model(signed(), call('g')), user(done()), user(done('g')), ask] },
    bad: { contents: [ask, model({ text: 'a' }), user(done()), ask] },
    says: 'Please ensure that function response turn comes immediately after a function call turn.',
    healed: { contents: [ask, model({ text: 'a' }), ask] },
  },
  'GEM-PAIR-3': {
    good: { contents: [ask, model(signed('f', '1'), call('g', '2')), user(done('f', '1'), done('g', '2'))] },
    bad: { contents: [ask, model(signed('f', '1'), call('g', '2')), user(done('f', '1')), ask] },
    says: 'number of function response parts is equal to the number of function call parts',
    healed: {
      contents: [
        ask,
        model(signed('f', '1'), call('g', '2')),
        user(done('f', '1')),
        user({
          functionResponse: {
            id: '2',
            name: 'g',
            response: { error: 'This tool call was not executed: it has no result.' },
          },
        }),
        ask,
      ],
    },
  },
  'GEM-PAIR-4': {
    good: { contents: [ask, model(signed('f', '1'), call('g', '2')), user(done('g', '2'), done('f', '1'))] },
    bad: { contents: [ask, model(signed('f', '1')), user(done('f', '9'))] },
    says: 'functionResponse.id does not match functionCall.id',
    healed: { contents: [ask, model(signed('f', '1')), user(done('f', '1'))] },
  },
  'GEM-SIG-1': {
    good: { contents: [ask, model({ text: 'a', thoughtSignature: 'Zm9v-_' }), ask] },
    bad: { contents: [ask, model({ text: 'a', thoughtSignature: 'not base64!' }), ask] },
    says: `Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed`,
    healed: { contents: [ask, model({ text: 'a' }), ask] },
  },
  'GEM-SIG-2': {
    // Only the first call of a step, and only in the running turn.
    good: { contents: [ask, model(call()), user(done()), ask, model(signed(), call('g')), user(done(), done('g'))] },
    bad: { contents: [ask, model(signed()), user(done()), model(call()), user(done())] },
    says: 'Function call is missing a thought_signature in functionCall parts.',
    healed: {
      contents: [
        ask,
        model(signed()),
        user(done()),
        model({ ...call(), thoughtSignature: SKIP_SIGNATURE }),
        user(done()),
      ],
    },
  },
  'GEM-SIG-3': {
    good: {
      contents: [
        ask,
        model(
          { toolCall: { id: '1', toolType: 'FILE_SEARCH', args: {} }, thoughtSignature: 'c2ln' },
          { toolResponse: { id: '1', toolType: 'FILE_SEARCH', response: {} }, thoughtSignature: 'b3RoZXI=' },
        ),
        ask,
      ],
    },
    bad: { contents: [ask, model({ toolCall: { id: '1', toolType: 'FILE_SEARCH', args: {} } }), ask] },
    says: 'contents[1].parts[0]: missing a thought_signature in toolCall parts',
    healed: { contents: [ask, ask] },
  },
  'GEM-TOOL-1': {
    good: declare({ name: 'files.read:now-1' }),
    bad: declare({ name: '1st' }),
    says: 'tools[0].function_declarations[0].name: Invalid function name.',
  },
  'GEM-TOOL-2': {
    good: declare({ name: 'f' }, { name: 'g' }),
    bad: declare({ name: 'f' }, { name: 'f' }),
    says: 'Duplicate function declaration found: f',
    healed: declare({ name: 'f' }),
  },
  'GEM-TOOL-3': {
    good: { ...declare({ name: 'f' }), toolConfig: { functionCallingConfig: { mode: 'NONE' } } },
    bad: { contents: [ask], toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
    says: 'Function calling config is set without function_declarations.',
    healed: { contents: [ask], toolConfig: {} },
  },
  'GEM-TOOL-4': {
    good: declare({ name: 'f', parameters: { type: 'OBJECT', properties: {} } }),
    bad: declare({ name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'object' } } } }),
    says: 'should be non-empty for OBJECT type',
  },
  'GEM-TOOL-5': {
    good: declare({ name: 'f', parametersJsonSchema: { anything: 1 } }),
    bad: declare({ name: 'f', parameters: { type: 'STRING' }, parametersJsonSchema: {} }),
    says: 'mutually exclusive',
  },
  'GEM-TOOL-6': {
    good: {
      ...declare({ name: 'f' }),
      tools: [{ googleSearch: {}, functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { includeServerSideToolInvocations: true },
    },
    bad: { contents: [ask], tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }] },
    says: 'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
    healed: {
      contents: [ask],
      tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { includeServerSideToolInvocations: true },
    },
  },
  'GEM-TOOL-7': {
    good: { contents: [ask], cachedContent: 'cachedContents/1' },
    bad: { ...declare({ name: 'f' }), cachedContent: 'cachedContents/1' },
    says: 'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
  },
  'GEM-TOOL-8': {
    good: { contents: [ask], tools: [{ fileSearch: { fileSearchStoreNames: ['s'] } }, { codeExecution: {} }] },
    bad: { contents: [ask], tools: [{ fileSearch: { fileSearchStoreNames: ['s'] } }, { googleSearch: {} }] },
    says: 'Search as a tool and file search tool are not supported together',
  },
  'GEM-THINK-1': {
    good: thinking({ thinkingLevel: 'LOW' }),
    bad: thinking({ thinkingLevel: 'low', thinkingBudget: 100 }),
    says: 'You can only set only one of thinking budget and thinking level.',
    healed: thinking({ thinkingLevel: 'low' }),
  },
  'GEM-THINK-2': {
    good: { contents: [ask] },
    bad: thinking({ includeThoughts: true }),
    model: 'speechless',
    says: 'thinking_config is not supported',
    healed: { contents: [ask], generationConfig: {} },
  },
  'GEM-THINK-3': {
    good: thinking({ thinkingBudget: -1 }),
    bad: thinking({ thinkingLevel: 'high' }),
    model: OLD,
    says: 'Thinking level is not supported for this model.',
    healed: thinking({}),
  },
  'GEM-THINK-4': {
    good: thinking({ thinkingLevel: 'high' }),
    bad: thinking({ thinkingLevel: 'MINIMAL' }),
    says: 'Thinking level MINIMAL is not supported for this model.',
    healed: thinking({ thinkingLevel: 'low' }),
  },
  'GEM-THINK-5': {
    good: thinking({ thinkingBudget: 128 }),
    bad: thinking({ thinkingBudget: 0 }),
    model: PRO,
    says: 'Budget 0 is invalid. This model only works in thinking mode.',
    healed: thinking({ thinkingBudget: 128 }),
  },
  'GEM-THINK-6': {
    good: thinking({ thinkingBudget: 0 }),
    bad: thinking({ thinkingBudget: 52_428 }),
    model: OLD,
    says: 'The thinking budget (52428) is invalid.',
    healed: thinking({ thinkingBudget: 24_576 }),
  },
  'GEM-KEEP-1': {
    good: { contents: [ask, model({ text: '', thoughtSignature: 'c2ln' }), ask] },
    bad: { contents: [ask, model({ text: 'a' }), ask] },
    replayed: { signed: [{ signature: 'c2ln', payload: '{"text":""}' }], thoughts: [] },
  },
  'GEM-KEEP-2': {
    good: { contents: [ask, model({ text: 'a' }, { text: '', thoughtSignature: 'c2ln' }), ask] },
    bad: { contents: [ask, model({ text: 'a', thoughtSignature: 'c2ln' }), ask] },
    replayed: { signed: [{ signature: 'c2ln', payload: '{"text":""}' }], thoughts: [] },
  },
  'GEM-KEEP-3': {
    good: { contents: [ask, model(signed()), user(done()), model({ text: 'a' }), ask] },
    bad: { contents: [ask, model(call()), user(done()), model({ text: 'a' }), ask] },
  },
  'GEM-KEEP-4': {
    good: { contents: [ask, model({ text: 'hm', thought: true, thoughtSignature: 'c2ln' }, { text: 'a' }), ask] },
    bad: { contents: [ask, model({ text: 'hm' }, { text: 'a' }), ask] },
    replayed: { signed: [], thoughts: ['hm'] },
  },
  'GEM-KEEP-5': {
    good: { contents: [ask, model({ text: 'hm', thought: true, thoughtSignature: 'c2ln' }), ask] },
    bad: { contents: [ask, model({ text: 'hm', thought: true }, { text: 'a' }), ask] },
  },
};

export function contextFor({ model: id = NEW, replayed }: Case): RuleContext {
  const info = deployment.modelInfo(id);
  // No listed model lacks thinking anymore; the rule must hold for the next one that does.
  const known = id === 'speechless' ? { ...info, known: true } : info;
  return { model: known, traits: traitsOf(known), ...(replayed && { replayed }) };
}
