import { message, reasoning } from '../testing.ts';
import type { Case } from './cases/case.ts';
import {
  added,
  answer,
  ask,
  issued,
  more,
  namelessAnswer,
  namelessCall,
  namelessThought,
  stateless,
  stored,
  sum,
  thought,
  tool,
  withParameters,
} from './cases/case.ts';
import { FILE_CASES } from './cases/files.ts';
import { ITEM_CASES } from './cases/items.ts';

export { added, ask, contextOf, namelessCall, OPENAI, stateless, sum, thought, withParameters } from './cases/case.ts';

// Bodies that each rule accepts, and one that it refuses. Only for tests, and for the list of messages in the
// documents.

export const CASES: readonly Case[] = [
  ...ITEM_CASES,
  ...FILE_CASES,
  {
    rule: 'OAR-SHAPE-1',
    pass: [
      stateless(ask),
      { model: 'gpt-5.5', input: 'Just text' },
      stored({ type: 'item_reference', id: 'msg_b' }),
      // Parameters that are newer than the rulebook are the API's business.
      { ...stateless(ask), client_metadata: { session: 'x' }, access_programs: { cyber: true }, hologram: true },
    ],
    fail: { ...stateless(ask), model: undefined },
    message: /^Missing required parameter: 'model'\.$/,
  },
  {
    rule: 'OAR-SHAPE-1',
    pass: [stateless(ask, namelessAnswer, more)],
    fail: stateless(ask, { role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }),
    message: /^Invalid value: 'input_text'\. Supported values are: 'output_text', 'refusal'\.$/,
  },
  {
    rule: 'OAR-SHAPE-1',
    pass: [stateless(ask, namelessCall, sum)],
    fail: stateless(ask, { type: 'function_call', call_id: 'call_c', name: 'add' }, sum),
    message: /^Missing required parameter: 'input\[1\]\.arguments'\.$/,
  },
  {
    rule: 'OAR-SHAPE-1',
    issued: new Map([['zz_1', { reasoning: [], sealed: [], follower: null, phase: null }]]),
    pass: [stateless(ask, { type: 'hologram', id: 'zz_1' }, more)],
    fail: stateless(ask, { type: 'hologram', id: 'zz_2' }, more),
    message: /^Invalid value: 'hologram'/,
  },
  {
    rule: 'OAR-REASON-1',
    pass: [stateless(ask, thought, answer, more)],
    fail: stateless(ask, { ...thought, status: 'completed' }, answer, more),
    message: /^Unknown parameter: 'input\[1\]\.status'\.$/,
  },
  {
    rule: 'OAR-REASON-2',
    pass: [stateless(ask, { ...thought, content: [] }, answer, more)],
    fail: stateless(ask, { ...thought, content: [{ type: 'reasoning_text', text: 'x' }] }, answer, more),
    message: /array too long\. Expected an array with maximum length 0, but got an array with length 1 instead\.$/,
  },
  {
    rule: 'OAR-REASON-3',
    pass: [stateless(ask, { ...thought, summary: [] }, answer, more)],
    fail: stateless(ask, { type: 'reasoning', id: 'rs_a', encrypted_content: 'gAAAA-a' }, answer, more),
    message: /^Missing required parameter: 'input\[1\]\.summary'\.$/,
  },
  {
    rule: 'OAR-REASON-4',
    pass: [stored(ask, reasoning('a', [], null), answer, more), stateless(ask, thought, answer, more)],
    fail: stateless(ask, reasoning('a', [], null), answer, more),
    message: /^Item with id 'rs_a' not found\. Items are not persisted when `store` is set to false\./,
  },
  {
    rule: 'OAR-REASON-4',
    pass: [stored({ type: 'item_reference', id: 'msg_b' }, more)],
    fail: stateless({ type: 'item_reference', id: 'msg_b' }, more),
    message: /^Item with id 'msg_b' not found\./,
  },
  {
    rule: 'OAR-REASON-5',
    pass: [stateless(ask, { ...thought, encrypted_content: 'gAAAAABq_x-Y1==' }, answer, more)],
    fail: stateless(ask, { ...thought, encrypted_content: 'I think that it is seven.' }, answer, more),
    message: /^The encrypted content for item rs_a could not be verified\./,
  },
  {
    rule: 'OAR-REASON-6',
    pass: [stateless(ask, namelessThought, namelessAnswer, more)],
    fail: stateless(ask, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] }, namelessAnswer, more),
    message: /empty/,
  },
  {
    rule: 'OAR-ID-1',
    pass: [stateless(ask, thought, answer, more)],
    fail: stateless(ask, answer, answer, more),
    message: /^Duplicate item found with id msg_b\./,
  },
  {
    rule: 'OAR-ID-2',
    pass: [stateless(ask, namelessAnswer, more), stateless(ask, answer, more)],
    fail: stateless(ask, { ...answer, id: 'item_1' }, more),
    message: /^Invalid 'input\[1\]\.id': 'item_1'\. Expected an ID that begins with 'msg'\.$/,
  },
  {
    rule: 'OAR-ID-3',
    pass: [stateless(ask, { ...added, id: `fc_${'x'.repeat(61)}` }, sum)],
    fail: stateless(ask, { ...added, id: `fc_${'x'.repeat(62)}` }, sum),
    message: /string too long\. Expected a string with maximum length 64, but got a string with length 65 instead\.$/,
  },
  {
    rule: 'OAR-ID-3',
    pass: [stateless(ask, added, sum)],
    fail: stateless(ask, { ...added, call_id: 'x'.repeat(65) }, { ...sum, call_id: 'x'.repeat(65) }),
    message: /^Invalid 'input\[1\]\.call_id': string too long/,
  },
  {
    rule: 'OAR-PAIR-1',
    pass: [stateless(ask, added, sum, more)],
    fail: stateless(ask, thought, added, more),
    message: /^No tool output found for function call call_c\.$/,
  },
  {
    rule: 'OAR-PAIR-2',
    pass: [stateless(ask, added, sum), { ...stored(sum), previous_response_id: 'resp_1' }],
    fail: stateless(ask, sum, added, sum, { ...sum, call_id: 'call_z' }),
    message: /^No tool call found for function call output with call_id call_c\.$/,
  },
  {
    rule: 'OAR-ATOM-1',
    pass: [
      stateless(ask, thought, answer, more),
      stateless(ask, thought, namelessAnswer, more),
      stored(ask, thought, namelessCall, sum),
      stateless(ask, namelessThought, more),
    ],
    fail: stateless(ask, thought, more),
    message: /^Item 'rs_a' of type 'reasoning' was provided without its required following item\.$/,
  },
  {
    rule: 'OAR-ATOM-1',
    pass: [stored(ask, thought, answer, more)],
    fail: stored(ask, thought, { role: 'assistant', content: 'Seven.' }, more),
    message: /without its required following item/,
  },
  {
    rule: 'OAR-ATOM-1',
    issued,
    pass: [stateless(ask, thought, answer, more)],
    fail: stateless(ask, thought, message('z', 'Other.', { phase: 'final_answer' }), more),
    message: /without its required following item/,
  },
  {
    rule: 'OAR-ATOM-2',
    issued,
    pass: [stateless(ask, namelessCall, sum), stateless(ask, thought, answer, added, sum)],
    fail: stateless(ask, added, sum),
    message: /^Item 'fc_c' of type 'function_call' was provided without its required 'reasoning' item: 'rs_a'\.$/,
  },
  {
    rule: 'OAR-ATOM-3',
    issued,
    pass: [stateless(ask, namelessAnswer, more), stateless(ask, thought, answer, more)],
    fail: stateless(ask, answer, more),
    message: /^Item 'msg_b' of type 'message' was provided without its required preceding item of type 'reasoning'\.$/,
  },
  {
    rule: 'OAR-CHAIN-1',
    pass: [{ ...stored(ask), previous_response_id: 'resp_1' }],
    fail: { ...stored(ask), previous_response_id: 'resp_1', conversation: 'conv_1' },
    message: /^Mutually exclusive parameters/,
  },
  {
    rule: 'OAR-CHAIN-2',
    pass: [{ ...stored(more), previous_response_id: 'resp_1' }],
    fail: { ...stored(ask, thought, answer, more), previous_response_id: 'resp_1' },
    message: /reads it twice/,
  },
  {
    rule: 'OAR-CHAIN-3',
    pass: [stored(ask, { type: 'compaction_trigger' })],
    fail: stored({ type: 'compaction_trigger' }, ask),
    message: /must be the final input item/,
  },
  {
    rule: 'OAR-PARAM-1',
    model: 'o3',
    pass: [withParameters({ reasoning: { effort: 'low' } }), withParameters({})],
    fail: withParameters({ reasoning: { effort: 'none', summary: 'auto' } }),
    message:
      /^Unsupported value: 'none' is not supported with the 'o3' model\. Supported values are: 'low', 'medium', and 'high'\.$/,
  },
  {
    rule: 'OAR-PARAM-2',
    pass: [withParameters({ reasoning: { effort: 'none' }, temperature: 0.5 }), withParameters({})],
    fail: withParameters({ temperature: 0.5 }),
    message: /^Unsupported parameter: 'temperature' is not supported with this model\.$/,
  },
  {
    rule: 'OAR-PARAM-3',
    model: 'gpt-4o',
    pass: [{ model: 'gpt-4o', store: false, input: 'Q', temperature: 1 }],
    fail: { model: 'gpt-4o', store: false, input: 'Q', reasoning: { effort: 'low' } },
    message: /^Unsupported parameter: 'reasoning\.effort' is not supported with this model\.$/,
  },
  {
    rule: 'OAR-PARAM-4',
    model: 'o3',
    pass: [withParameters({ reasoning: { effort: 'low', context: 'current_turn' } })],
    fail: withParameters({ reasoning: { effort: 'low', context: 'all_turns' } }),
    message: /^Unsupported value: 'all_turns' is not supported with the 'o3' model\./,
  },
  {
    rule: 'OAR-PARAM-5',
    pass: [withParameters({ max_output_tokens: 16 })],
    fail: withParameters({ max_output_tokens: 15 }),
    message:
      /^Invalid 'max_output_tokens': integer below minimum value\. Expected a value >= 16, but got 15 instead\.$/,
  },
  {
    rule: 'OAR-PARAM-6',
    model: 'gpt-4o',
    pass: [{ model: 'gpt-4o', input: 'Q', include: ['web_search_call.results'] }],
    fail: { model: 'gpt-4o', input: 'Q', include: ['reasoning.encrypted_content'] },
    message: /^Encrypted content is not supported with this model\.$/,
  },
  {
    rule: 'OAR-PARAM-7',
    quirks: { encryptsByDefault: false },
    pass: [stateless(ask), stored(ask)],
    fail: { model: 'gpt-5.5', store: false, input: [ask] },
    message: /without encrypted reasoning/,
  },
  {
    rule: 'OAR-PARAM-8',
    pass: [withParameters({ prompt_cache_retention: '24h' }), withParameters({})],
    fail: withParameters({ prompt_cache_retention: 'in_memory' }),
    message: /^Unsupported value: 'in_memory' is not supported with the 'gpt-5\.5' model\./,
  },
  {
    rule: 'OAR-TOOL-1',
    pass: [withParameters({ tools: [tool({ type: 'object', properties: {} })] })],
    fail: withParameters({ tools: [tool({ type: 'object' })] }),
    message: /^Invalid schema for function 'add': In context=\(\), object schema missing properties\.$/,
  },
  {
    rule: 'OAR-TOOL-2',
    pass: [withParameters({ tools: [tool({ type: 'object', properties: {} })] }), stateless(ask, added, sum)],
    fail: stateless(ask, { ...added, name: 'files.read' }, sum),
    message: /^Invalid 'input\[1\]\.name': string does not match pattern\./,
  },
  {
    rule: 'OAR-TOOL-3',
    model: 'gpt-5',
    pass: [
      withParameters({
        reasoning: { effort: 'minimal' },
        tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }],
      }),
      withParameters({ reasoning: { effort: 'low' }, tools: [{ type: 'web_search' }, { type: 'image_generation' }] }),
    ],
    fail: withParameters({
      reasoning: { effort: 'minimal' },
      tools: [{ type: 'web_search' }, { type: 'image_generation' }],
    }),
    message: /^The following tools cannot be used with reasoning\.effort 'minimal': image_gen, web_search\.$/,
  },
  {
    rule: 'OAR-TOOL-4',
    model: 'o3-mini',
    pass: [withParameters({ tools: [tool({ type: 'object', properties: {} })] })],
    fail: withParameters({ tools: [tool({ type: 'object', properties: {} }), { type: 'web_search' }] }),
    message: /^Hosted tool 'web_search' is not supported with o3-mini\.$/,
  },
  {
    rule: 'OAR-TOOL-5',
    pass: [withParameters({ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] })],
    fail: withParameters({ tools: [{ type: 'code_interpreter' }] }),
    message: /^Missing required parameter: 'tools\[0\]\.container'\.$/,
  },
  {
    rule: 'OAR-LOSS-1',
    pass: [stateless(ask, thought, answer, more), stateless(ask, { role: 'assistant', content: 'Old.' }, more)],
    fail: stateless(ask, thought, message('b', 'Seven.'), more),
    message: /phase/,
  },
  {
    rule: 'OAR-LOSS-2',
    issued,
    pass: [stateless(ask, thought, answer, added, sum), stateless(ask, namelessThought, namelessCall, sum)],
    fail: stateless(ask, namelessCall, sum),
    message: /reasoning that led to this call is not sent/,
  },
  {
    rule: 'OAR-LOSS-3',
    pass: [stateless(ask, { role: 'assistant', content: 'See <think> in the docs.' }, more)],
    fail: stateless(ask, { role: 'assistant', content: '<think>\nHm.</think> Seven.' }, more),
    message: /takes it for its answer/,
  },
];
