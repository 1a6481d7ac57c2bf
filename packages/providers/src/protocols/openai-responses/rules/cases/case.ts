import { openaiResponsesDeployment } from '../../../../deployments/openai-responses.ts';
import { call, message, reasoning } from '../../testing.ts';
import type { WireItem } from '../../wire.ts';
import type { RuleContext } from '../index.ts';
import { ruleContext } from '../index.ts';

// What the cases of the rules are made from. Only for tests, and for the list of messages in the documents.

export const OPENAI = openaiResponsesDeployment;

export const ask = { role: 'user', content: 'Q' };
export const more = { role: 'user', content: 'More?' };
export const thought = reasoning('a', ['Think.']);
export const answer = message('b', 'Seven.', { phase: 'final_answer' });
export const added = call('c', 'add', '{"a":1}');
export const sum = { type: 'function_call_output', call_id: 'call_c', output: '1' };
const { id: _, ...namelessThought } = thought;
const { id: __, status: ___, ...namelessAnswer } = answer;
const { id: ____, ...namelessCall } = added;

export interface Case {
  readonly rule: string;
  readonly model?: string;
  readonly quirks?: Readonly<Record<string, unknown>>;
  readonly issued?: RuleContext['issued'];
  /** For a model that is known not to see. */
  readonly blind?: boolean;
  readonly pass: readonly WireItem[];
  readonly fail: WireItem;
  readonly message: RegExp;
}

export const stateless = (...input: readonly unknown[]): WireItem => ({
  model: 'gpt-5.5',
  store: false,
  include: ['reasoning.encrypted_content'],
  input,
});
export const stored = (...input: readonly unknown[]): WireItem => ({ model: 'gpt-5.5', input });
export const withParameters = (parameters: WireItem): WireItem => ({ ...stateless(ask), ...parameters });
export const tool = (parameters: WireItem, name = 'add'): WireItem => ({
  type: 'function',
  name,
  parameters,
  strict: false,
});

export const issued: RuleContext['issued'] = new Map([
  ['rs_a', { reasoning: [], sealed: [], follower: 'msg_b', phase: null }],
  ['msg_b', { reasoning: ['rs_a'], sealed: ['gAAAA-a'], follower: null, phase: 'final_answer' }],
  ['fc_c', { reasoning: ['rs_a'], sealed: ['gAAAA-a'], follower: null, phase: null }],
  ['call_c', { reasoning: ['rs_a'], sealed: ['gAAAA-a'], follower: null, phase: null }],
]);

export { namelessAnswer, namelessCall, namelessThought };

export function contextOf({ model = 'gpt-5.5', issued: facts, quirks, blind = false }: Case): RuleContext {
  const deployment = { ...OPENAI, quirks: { ...OPENAI.quirks, ...quirks } };
  const info = { ...OPENAI.modelInfo(model), ...(blind && { canSee: false }) };
  return { ...ruleContext(info, deployment), ...(facts !== undefined && { issued: facts }) };
}
