import type { StreamEvent } from '@bough/core';
import fc from 'fast-check';

const words = fc.string({ minLength: 1, maxLength: 10 }).filter((text) => text.trim() !== '');

type Piece =
  | { readonly kind: 'text' | 'thinking'; readonly pieces: readonly string[]; readonly signed: boolean }
  | { readonly kind: 'hidden' }
  | {
      readonly kind: 'calls';
      readonly calls: readonly Call[];
      readonly interleaved: boolean;
      readonly streamed: boolean;
    };

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom('read_file', 'shell'),
  args: fc.dictionary(fc.constantFrom('path', 'q'), fc.oneof(words, fc.integer(), fc.constant(null)), { maxKeys: 2 }),
});
const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('text' as const, 'thinking' as const),
    pieces: fc.array(words, { minLength: 1, maxLength: 3 }),
    signed: fc.boolean(),
  }),
  fc.constant({ kind: 'hidden' as const }),
);
const calls: fc.Arbitrary<Piece> = fc.record({
  kind: fc.constant('calls' as const),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  interleaved: fc.boolean(),
  streamed: fc.boolean(),
});

/** The events of a reply as providers give them: calls that grow at the same time, thoughts that cannot be read. */
export const anyReply: fc.Arbitrary<readonly StreamEvent[]> = fc
  .tuple(fc.array(piece, { maxLength: 4 }), fc.option(calls, { nil: null }))
  .filter(([before, made]) => before.length > 0 || made !== null)
  .map(([before, made]) => eventsOf(made === null ? before : [...before, made]));

function eventsOf(pieces: readonly Piece[]): readonly StreamEvent[] {
  const events: StreamEvent[] = [{ type: 'start', responseId: 'r' }];
  let index = 0;
  let hasCalls = false;
  for (const one of pieces) {
    if (one.kind === 'hidden') events.push({ type: 'signature', index, signature: 'sealed' });
    else if (one.kind === 'calls') {
      hasCalls = true;
      events.push(...callEvents(one, index));
      index += one.calls.length;
    } else {
      const { kind } = one;
      for (const text of one.pieces) events.push({ type: kind, index, text });
      if (one.signed) events.push({ type: 'signature', index, signature: 'sealed' });
    }
    index += 1;
  }
  events.push({
    type: 'usage',
    usage: { inputTokens: 100, cachedInputTokens: 60, outputTokens: 20, reasoningTokens: 5 },
  });
  events.push({ type: 'stop', reason: hasCalls ? 'tool_use' : 'end_turn' });
  return events;
}

function callEvents(made: Extract<Piece, { kind: 'calls' }>, first: number): readonly StreamEvent[] {
  const each = made.calls.map(({ name, args }, at): StreamEvent[] => {
    const index = first + at;
    const id = `call_${index}`;
    const json = JSON.stringify(args);
    const deltas: StreamEvent[] = made.streamed
      ? [json.slice(0, 1), json.slice(1)].map((part) => ({ type: 'tool_call_delta', index, json: part }))
      : [];
    return [
      { type: 'tool_call_start', index, id, name },
      ...deltas,
      { type: 'tool_call', index, id, name, parameters: args },
    ];
  });
  if (!made.interleaved) return each.flat();
  const longest = Math.max(...each.map(({ length }) => length));
  return Array.from({ length: longest }, (_, step) => each.flatMap((events) => events.slice(step, step + 1))).flat();
}
