import type { ProtocolId } from '@bough/core';
import fc from 'fast-check';

/** A conversation in no protocol's words, from which tests write each protocol's body. */
export type Said =
  | { readonly who: 'user'; readonly text: string; readonly picture?: string }
  | { readonly who: 'model'; readonly thought: string; readonly text: string; readonly calls: readonly SaidCall[] };

export interface SaidCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
}

/** What a client may write differently without meaning it. */
export interface Manner {
  /** Texts as strings where the protocol has both forms. */
  readonly plain: boolean;
  readonly marks: boolean;
  readonly thoughts: boolean;
  /** What precedes the number in the ids of calls. */
  readonly ids: string;
  /** White space around texts of the model and of people. */
  readonly around: string;
}

export const MANNER: Manner = { plain: false, marks: false, thoughts: true, ids: 'a', around: '' };

const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '' && text.trim() === text);
const call = fc.record({
  name: fc.constantFrom('read_file', 'shell'),
  args: fc.dictionary(fc.constantFrom('path', 'line', 'deep'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  result: word,
});
const asked = fc.record(
  { who: fc.constant('user' as const), text: word, picture: fc.constantFrom('AAAA', 'iVBORw0K') },
  {
    requiredKeys: ['who', 'text'],
  },
);
const answered = fc.record({
  who: fc.constant('model' as const),
  thought: word,
  text: word,
  calls: fc.array(call, { maxLength: 2 }),
});

/** People and models in turn, beginning with a person. */
export const anyConversation: fc.Arbitrary<readonly Said[]> = fc
  .array(fc.tuple(asked, answered), { minLength: 1, maxLength: 4 })
  .map((turns) => turns.flat());

/** The body of a conversation in a protocol. */
export function bodyOf(protocol: ProtocolId, said: readonly Said[], manner: Manner = MANNER): Record<string, unknown> {
  let count = 0;
  const withIds = said.map((one) =>
    one.who === 'user'
      ? one
      : { ...one, calls: one.calls.map((made) => ({ ...made, id: `${manner.ids}_${(count += 1)}` })) },
  );
  return WRITERS[protocol](withIds, manner);
}

type Identified =
  | Extract<Said, { who: 'user' }>
  | (Omit<Extract<Said, { who: 'model' }>, 'calls'> & {
      readonly calls: readonly (SaidCall & { readonly id: string })[];
    });
type Write = (said: readonly Identified[], manner: Manner) => Record<string, unknown>;

const WRITERS: Readonly<Record<ProtocolId, Write>> = {
  'anthropic-messages': (said, { plain, marks, thoughts, around }) => {
    const mark = marks ? { cache_control: { type: 'ephemeral' } } : {};
    const text = (value: string): object => ({ type: 'text', text: `${around}${value}${around}`, ...mark });
    return {
      model: 'claude',
      max_tokens: 100,
      messages: said.flatMap((one): object[] => {
        if (one.who === 'user') {
          if (one.picture === undefined && plain) return [{ role: 'user', content: one.text }];
          const source = { type: 'base64', media_type: 'image/png', data: one.picture };
          return [
            {
              role: 'user',
              content: [text(one.text), ...(one.picture === undefined ? [] : [{ type: 'image', source, ...mark }])],
            },
          ];
        }
        const content = [
          ...(thoughts ? [{ type: 'thinking', thinking: one.thought, signature: 's' }] : []),
          text(one.text),
          ...one.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args, ...mark })),
        ];
        const results = one.calls.map(({ id, result }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: plain ? result : [text(result)],
          ...mark,
        }));
        return [{ role: 'assistant', content }, ...(results.length > 0 ? [{ role: 'user', content: results }] : [])];
      }),
    };
  },
  'openai-responses': (said, { plain, thoughts, around, ids }) => {
    const text = (type: string, value: string): object => ({ type, text: `${around}${value}${around}` });
    return {
      model: 'gpt',
      input: said.flatMap((one): object[] => {
        if (one.who === 'user') {
          if (one.picture === undefined && plain) return [{ role: 'user', content: one.text }];
          const image = { type: 'input_image', image_url: `data:image/png;base64,${one.picture}` };
          const content = [text('input_text', one.text), ...(one.picture === undefined ? [] : [image])];
          return [{ type: 'message', role: 'user', content }];
        }
        return [
          ...(thoughts
            ? [
                {
                  type: 'reasoning',
                  id: `rs_${ids}`,
                  summary: [text('summary_text', one.thought)],
                  encrypted_content: 'e',
                },
              ]
            : []),
          { type: 'message', role: 'assistant', id: `msg_${ids}`, content: [text('output_text', one.text)] },
          ...one.calls.map(({ id, name, args }) => ({
            type: 'function_call',
            call_id: id,
            name,
            arguments: JSON.stringify(args),
          })),
          ...one.calls.map(({ id, result }) => ({
            type: 'function_call_output',
            call_id: id,
            output: plain ? result : [text('input_text', result)],
          })),
        ];
      }),
    };
  },
  'openai-chat': (said, { plain, thoughts, around }) => {
    const text = (value: string): object => ({ type: 'text', text: `${around}${value}${around}` });
    return {
      model: 'chat',
      messages: said.flatMap((one): object[] => {
        if (one.who === 'user') {
          if (one.picture === undefined && plain) return [{ role: 'user', content: one.text }];
          const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${one.picture}` } };
          return [{ role: 'user', content: [text(one.text), ...(one.picture === undefined ? [] : [image])] }];
        }
        const calls = one.calls.map(({ id, name, args }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        }));
        return [
          {
            role: 'assistant',
            content: plain ? one.text : [text(one.text)],
            ...(thoughts && { reasoning_content: one.thought }),
            ...(calls.length > 0 && { tool_calls: calls }),
          },
          ...one.calls.map(({ id, result }) => ({
            role: 'tool',
            tool_call_id: id,
            content: plain ? result : [text(result)],
          })),
        ];
      }),
    };
  },
  gemini: (said, { thoughts, around, ids }) => {
    const text = (value: string): object => ({ text: `${around}${value}${around}` });
    const named = (id: string): object => (ids === '' ? {} : { id });
    return {
      contents: said.flatMap((one): object[] => {
        if (one.who === 'user') {
          const inlineData = { mimeType: 'image/png', data: one.picture };
          return [{ role: 'user', parts: [text(one.text), ...(one.picture === undefined ? [] : [{ inlineData }])] }];
        }
        const parts = [
          ...(thoughts ? [{ text: one.thought, thought: true }] : []),
          text(one.text),
          ...one.calls.map(({ id, name, args }) => ({
            functionCall: { ...named(id), name, args },
            ...(thoughts && { thoughtSignature: 'g' }),
          })),
        ];
        const results = one.calls.map(({ id, name, result }) => ({
          functionResponse: { ...named(id), name, response: { output: result } },
        }));
        return [{ role: 'model', parts }, ...(results.length > 0 ? [{ role: 'user', parts: results }] : [])];
      }),
    };
  },
};
