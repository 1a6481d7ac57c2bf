import { PROTOCOLS } from '@bough/providers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../simulated-protocol.ts';
import type { LogEntry } from '../../log/index.ts';
import { createLog } from '../../log/index.ts';
import { planReply } from '../../plan/index.ts';
import type { Simulator } from '../../server.ts';
import { startSimulator } from '../../server.ts';
import type { World } from '../../world.ts';
import { createWorld } from '../../world/index.ts';
import { responsesProtocol } from './index.ts';
import { seal, unseal } from './seal.ts';
import { ask, Conversation, deploymentUnderTest, eventOf } from './testing.ts';
import type { Json } from './wire.ts';
import { kindOf, records } from './wire.ts';

let world: World;
let log: ReturnType<typeof createLog>;

beforeEach(() => {
  log = createLog();
  world = newWorld('seed');
});

function newWorld(seed: string): World {
  return createWorld({
    seed,
    plan: planReply,
    note: (entry) => log.add({ path: '', model: null, ...entry }),
    now: () => 1_790_000_000_000,
  });
}

const noted = (kind: LogEntry['kind']): readonly LogEntry[] => log.entries().filter((entry) => entry.kind === kind);
const TOOLS = [
  {
    name: 'calculator',
    description: 'Calculates.',
    inputSchema: { type: 'object', properties: { expression: { type: 'string' } } },
  },
];
const FUNCTION = { type: 'function', name: 'calculator', parameters: { type: 'object', properties: {} } };

const parsed = (answer: Answer): Json => JSON.parse(answer.type === 'body' ? answer.body : '{}') as Json;
const eventsOf = (answer: Answer): readonly Json[] =>
  answer.type === 'stream' ? answer.frames.map((frame) => JSON.parse(eventOf(frame).data) as Json) : [];
/** The response that a stream ends with. */
const endOf = (answer: Answer): Json => Object(eventsOf(answer).at(-1)?.['response']) as Json;
const errorOf = (answer: Answer): Json => parsed(answer)['error'] as Json;
const outputOf = (answer: Answer): readonly Json[] => records(parsed(answer)['output']);
const user = (content: string): Json => ({ role: 'user', content });

/** A first reply and the items that a second request would hold. */
function first(
  message: string,
  more: Json = {},
): { readonly body: Json; readonly output: readonly Json[]; readonly id: string } {
  const body = {
    model: 'sim-summary',
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'medium', summary: 'auto' },
    input: [user(message)],
    ...more,
  };
  const answer = ask(world, body);
  return { body, output: outputOf(answer), id: String(parsed(answer)['id']) };
}

function again(body: Json, ...items: readonly Json[]): Answer {
  return ask(world, { ...body, input: [...records(body['input']), ...items] });
}

describe('the stream', () => {
  test('SIM-OAR-1: a streamed reply follows the grammar, event by event', () => {
    const answer = ask(world, {
      model: 'sim-summary',
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [FUNCTION],
      input: 'What is 17 * 23?',
    });
    const events = eventsOf(answer);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const names = events.map(({ type }) => String(type)).filter((name, at, all) => name !== all[at - 1]);
    expect(names).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    expect(endOf(answer)['output']).toEqual(done);
    for (const frame of answer.type === 'stream' ? answer.frames : [])
      expect(frame).toMatch(/^event: \S+\ndata: .+\n\n$/);
  });

  test('SIM-OAR-1: what is announced of the encrypted content is refused when it comes back', () => {
    const { body } = first('Hi');
    const answer = ask(world, { ...body, stream: true });
    const events = eventsOf(answer);
    const [early] = events.filter(({ type }) => type === 'response.output_item.added').map(({ item }) => item as Json);
    const [, message] = records(endOf(answer)['output']);
    const refused = again(body, { ...early, summary: [] }, message ?? {}, user('And?'));
    expect(errorOf(refused)['code']).toBe('invalid_encrypted_content');
  });

  test.each([
    ['/sim refuse', 'completed', 'refusal'],
    ['/sim max_tokens', 'incomplete', 'max_tokens'],
    ['/sim unknown', 'completed', 'end_turn'],
    ['/sim empty', 'completed', 'end_turn'],
    ['/sim think 3', 'completed', 'end_turn'],
    ['/sim redacted 2', 'completed', 'end_turn'],
    ['/sim unicode', 'completed', 'end_turn'],
  ])('SIM-OAR-2: %s is %s, and the conversation goes on', (message, status, stop) => {
    const talk = new Conversation(world);
    const settings = { model: 'sim-summary' };
    talk.say(message);
    const answer = talk.send(talk.prepare(settings));
    const events = answer.type === 'stream' ? answer.frames.map(eventOf) : [];
    expect(events.at(-1)?.event).toBe(`response.${status}`);
    const fold = PROTOCOLS['openai-responses'].createFold({ provider: '', deployment: '', model: '' });
    expect(events.flatMap((event) => fold.push(event)).at(-1)).toEqual({ type: 'stop', reason: stop });
    talk.receive(answer, settings);
    talk.say('And now?');
    expect(talk.send(talk.prepare(settings)).type).toBe('stream');
    expect(noted('rejected')).toEqual([]);
  });

  test('SIM-OAR-2: a model without summaries gives encrypted reasoning alone, one that does not reason none', () => {
    const hidden = first('Hi', { model: 'sim-hidden', reasoning: { effort: 'low' } });
    expect(hidden.output.map(kindOf)).toEqual(['reasoning', 'message']);
    expect(hidden.output[0]?.['summary']).toEqual([]);
    expect(hidden.output[0]?.['encrypted_content']).toMatch(/^gAAAA/);
    const plain = outputOf(ask(world, { model: 'sim-plain', store: false, input: 'Hi' }));
    expect(plain.map(kindOf)).toEqual(['message']);
  });

  test('SIM-OAR-2: messages have a phase: commentary before calls, else the final answer', () => {
    expect(first('Hi').output.at(-1)?.['phase']).toBe('final_answer');
    const called = first('What is 2 + 2?', { tools: [FUNCTION] }).output;
    expect(called.find((item) => kindOf(item) === 'message')?.['phase']).toBe('commentary');
  });
});

describe('history, with the simulator’s own eyes', () => {
  test('SIM-OAR-3: what it gave, it takes back', () => {
    const { body, output } = first('Hi');
    expect(again(body, ...output, user('And?'))).toMatchObject({ type: 'body', status: 200 });
    expect(noted('silent_drop')).toEqual([]);
  });

  test.each(['Hi', '/sim unknown', '/sim redacted 2'])('SIM-OAR-3: after a restart too (%s)', (message) => {
    const { body, output } = first(message);
    world = newWorld('another seed');
    expect(again(body, ...output, user('And?'))).toMatchObject({ status: 200 });
  });

  type Tamper = (output: readonly Json[], body: Json) => readonly Json[];
  const touched = (item: Json | undefined, change: Json): Json => ({ ...item, ...change });

  test.each<[string, Tamper, number, RegExp, string | null]>([
    [
      'a touched token',
      ([r, m]) => [touched(r, { encrypted_content: `${String(r?.['encrypted_content'])}A` }), m ?? {}],
      400,
      /^The encrypted content for item rs_\w+ could not be verified\./,
      'invalid_encrypted_content',
    ],
    [
      'a token with a stranger at its end',
      ([r, m]) => [touched(r, { encrypted_content: `${String(r?.['encrypted_content'])}=` }), m ?? {}],
      400,
      /could not be verified/,
      'invalid_encrypted_content',
    ],
    [
      'a forged token',
      ([r, m]) => [touched(r, { encrypted_content: forged(String(r?.['encrypted_content'])) }), m ?? {}],
      400,
      /could not be verified/,
      'invalid_encrypted_content',
    ],
    [
      'a foreign token',
      ([r, m]) => [touched(r, { encrypted_content: 'gAAAAABforeign' }), m ?? {}],
      400,
      /could not be verified/,
      'invalid_encrypted_content',
    ],
    [
      'a token under another id',
      ([r, m]) => [touched(r, { id: 'rs_other' }), m ?? {}],
      400,
      /could not be verified/,
      'invalid_encrypted_content',
    ],
    [
      'reasoning alone',
      ([r]) => [r ?? {}],
      400,
      /^Item 'rs_\w+' of type 'reasoning' was provided without its required following item\.$/,
      null,
    ],
    [
      'reasoning before another message',
      ([r, m]) => [r ?? {}, touched(m, { id: 'msg_other' })],
      400,
      /without its required following item/,
      null,
    ],
    [
      'reasoning before a call',
      ([r]) => [
        r ?? {},
        { type: 'function_call', call_id: 'c', name: 'x', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: '' },
      ],
      400,
      /without its required following item/,
      null,
    ],
    [
      'a message without its reasoning',
      ([, m]) => [m ?? {}],
      400,
      /^Item 'msg_\w+' of type 'message' was provided without its required preceding item of type 'reasoning'\.$/,
      null,
    ],
    [
      'an item twice',
      ([r, m]) => [r ?? {}, m ?? {}, r ?? {}, m ?? {}],
      400,
      /^Duplicate item found with id rs_\w+\. Remove duplicate items from your input and try again\.$/,
      null,
    ],
    [
      'reasoning by its id',
      ([r, m]) => [{ type: 'reasoning', id: r?.['id'], summary: [] }, m ?? {}],
      404,
      /^Item with id 'rs_\w+' not found\. Items are not persisted when `store` is set to false\./,
      null,
    ],
    [
      'a reference',
      ([, m]) => [{ type: 'item_reference', id: m?.['id'] }],
      404,
      /^Item with id 'msg_\w+' not found\. Items are not persisted/,
      null,
    ],
  ])('SIM-OAR-4: %s is refused in the words of the provider', (_, tamper, status, message, code) => {
    const { body, output } = first('Hi');
    const answer = again(body, ...tamper(output, body), user('And?'));
    expect(answer).toMatchObject({ type: 'body', status });
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', param: 'input', code });
    expect(errorOf(answer)['message']).toMatch(message);
    expect(noted('rejected')).toHaveLength(1);
  });

  test('SIM-OAR-17: the models read each other; on a cloud each reads its own; one that does not reason reads none', () => {
    const { body, output } = first('Hi');
    const asked: Json = { ...body, model: 'sim-parallel', input: [...records(body['input']), ...output, user('And?')] };
    expect(ask(world, asked)).toMatchObject({ status: 200 });
    for (const path of ['/azure/v1/responses', '/bedrock/v1/responses'])
      expect(errorOf(ask(world, asked, path))['code']).toBe('invalid_encrypted_content');
    const { reasoning: _, include: __, ...plain } = asked;
    expect(errorOf(ask(world, { ...plain, model: 'gpt-4o' }))['message']).toMatch(
      /^Reasoning input items can only be /,
    );
  });

  test.each<[string, Tamper, RegExp]>([
    ['a call without a result', (output) => output, /^No tool output found for function call call_\w+\.$/],
    [
      'a call without its reasoning',
      (output) => [...output.slice(1), ...resultsFor(output)],
      /^Item '(msg|fc)_\w+' of type '\w+' was provided without its required /,
    ],
    [
      'a result without a call',
      (output) => resultsFor(output),
      /^No tool call found for function call output with call_id call_\w+\.$/,
    ],
  ])('SIM-OAR-4: %s is refused', (_, tamper, message) => {
    const { body, output } = first('What is 2 + 2?', { tools: [FUNCTION] });
    const answer = again(body, ...tamper(output, body));
    expect(answer).toMatchObject({ status: 400 });
    expect(errorOf(answer)['message']).toMatch(message);
  });

  test('SIM-OAR-4: without ids the pairing of reasoning is not looked at', () => {
    const { body, output } = first('Hi');
    const [reasoning, message] = output.map((item) => {
      const { id: _, status: __, ...rest } = item;
      return rest;
    });
    expect(again(body, reasoning ?? {}, message ?? {}, user('And?'))).toMatchObject({ status: 200 });
    expect(again(body, message ?? {}, user('And?'))).toMatchObject({ status: 200 });
    expect(noted('silent_drop').map(({ detail }) => detail)).toEqual([
      'The reasoning behind a message did not come back.',
    ]);
  });

  test('SIM-OAR-5: a lost phase is noted', () => {
    const { body, output } = first('Hi');
    const [reasoning, message] = output;
    const { phase: _, ...rest } = message ?? {};
    again(body, reasoning ?? {}, rest, user('And?'));
    expect(noted('silent_drop').map(({ rule }) => rule)).toEqual(['OAR-LOSS-1', 'SIM-OAR-LOST']);
  });

  test('SIM-OAR-5: the same words, said once with reasoning and once without, are not taken for a loss', () => {
    const plain = first('/sim say Yes.', { reasoning: { effort: 'none' } });
    const reasoned = first('/sim say Yes.');
    expect(reasoned.output.map(kindOf)).toEqual(['reasoning', 'message']);
    again(plain.body, ...plain.output, user('And?'));
    const { id: _, status: __, ...nameless } = plain.output[0] ?? {};
    again(plain.body, nameless, user('And?'));
    expect(noted('silent_drop')).toEqual([]);
  });

  test('SIM-OAR-6: the shared rules answer with their own status and code', () => {
    const answer = ask(world, { model: 'gpt-4o', input: 'Hi', reasoning: { effort: 'low' } });
    expect(errorOf(answer)).toEqual({
      message: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      type: 'invalid_request_error',
      param: 'reasoning.effort',
      code: 'unsupported_parameter',
    });
    for (const body of [
      7,
      [],
      {},
      { model: 3 },
      { model: 'x', input: [7] },
      { model: 'x', input: 'Hi', hologram: 1 },
    ]) {
      expect(ask(world, body)).toMatchObject({ type: 'body', status: 400 });
    }
  });
});

/** The same facts under a proof made with another key. */
function forged(token: string): string {
  const stranger = createWorld({ seed: '', signingKey: 'stolen', plan: planReply, note: () => {}, now: () => 0 });
  const sealed = unseal(world, token);
  if (sealed === null) throw new Error('The token is not the simulator’s own.');
  return seal(stranger, sealed);
}

function resultsFor(output: readonly Json[]): readonly Json[] {
  return output
    .filter((item) => kindOf(item) === 'function_call')
    .map((item) => ({ type: 'function_call_output', call_id: item['call_id'], output: '4' }));
}

describe('stored responses', () => {
  const stored = (message: string, more: Json = {}): ReturnType<typeof first> =>
    first(message, { store: true, ...more });

  test('SIM-OAR-7: a stored response can be read and continued, more than once', () => {
    const { id, output, body } = stored('Hi');
    expect(parsed(ask(world, null, `/v1/responses/${id}`))).toMatchObject({ id, output });
    for (const message of ['One way.', 'Another way.']) {
      const next = ask(world, { ...body, input: [user(message)], previous_response_id: id });
      expect(parsed(next)).toMatchObject({ status: 'completed', previous_response_id: id });
    }
  });

  test('SIM-OAR-7: one that was not stored, or never was, is not found', () => {
    const { id, body } = first('Hi');
    for (const previous of [id, 'resp_never']) {
      const answer = ask(world, { ...body, input: [user('And?')], previous_response_id: previous });
      expect(errorOf(answer)).toEqual({
        message: `Previous response with id '${previous}' not found.`,
        type: 'invalid_request_error',
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      });
      expect(ask(world, null, `/v1/responses/${previous}`)).toMatchObject({ status: 404 });
    }
  });

  test('SIM-OAR-7: the calls of a continued response want their results, and its items are not sent again', () => {
    const { id, output, body } = stored('What is 2 + 2?', { tools: [FUNCTION] });
    const next = { ...body, previous_response_id: id };
    expect(errorOf(ask(world, { ...next, input: [user('So?')] }))['message']).toMatch(/^No tool output found/);
    expect(errorOf(ask(world, { ...next, input: [...output, ...resultsFor(output)] }))['message']).toMatch(
      /^Duplicate item/,
    );
    expect(ask(world, { ...next, input: resultsFor(output) })).toMatchObject({ status: 200 });
  });

  test('SIM-OAR-7: stored items can be named by their ids; a message that lost its id is a stranger to its reasoning', () => {
    const { output, body } = stored('Hi');
    const [reasoning, message] = output;
    const references = output.map(({ id }) => ({ type: 'item_reference', id }));
    expect(again(body, ...references, user('And?'))).toMatchObject({ status: 200 });
    const { id: _, ...nameless } = message ?? {};
    expect(errorOf(again(body, reasoning ?? {}, nameless, user('And?')))['message']).toMatch(/required following item/);
  });
});

describe('as Bough talks to it', () => {
  test.each(deploymentUnderTest().models.map(({ id }) => id))(
    'SIM-OAR-8: three turns with tools on %s, streamed and not',
    (model) => {
      const talk = new Conversation(world);
      let sent = '';
      for (const [turn, message] of ['What is 17 * 23?', 'And 2 + 2?', 'Thanks.'].entries()) {
        const settings = { model, stream: turn !== 1, tools: TOOLS };
        talk.say(message);
        for (let step = 0; step < 6; step += 1) {
          const request = talk.prepare(settings);
          expect(request.violations).toEqual([]);
          const input = request.body.slice(0, request.body.lastIndexOf(']'));
          expect(input.startsWith(sent)).toBe(true);
          sent = input;
          const before = talk.items.length;
          talk.receive(talk.send(request), settings);
          if (talk.items.length - before <= 1) break;
        }
      }
      expect(noted('rejected')).toEqual([]);
      expect(noted('silent_drop')).toEqual([]);
    },
  );

  test('SIM-OAR-8: a chain sends only what is new and is accepted', () => {
    const deployment = deploymentUnderTest({ storeResponses: true });
    const talk = new Conversation(world);
    const settings = { model: 'sim-summary', deployment };
    talk.say('Hi');
    const answer = talk.send(talk.prepare(settings));
    const node = talk.receive(answer, settings);
    const id = String(endOf(answer)['id']);
    talk.say('And?');
    const request = talk.prepare({ ...settings, previousResponse: { id, nodeId: node } });
    expect(JSON.parse(request.body)).toMatchObject({ previous_response_id: id, store: true });
    expect(talk.send(request).type).toBe('stream');
    expect(noted('rejected')).toEqual([]);
  });
});

describe('over HTTP', () => {
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({ protocols: [responsesProtocol], seed: 'http' });
  });
  afterEach(() => simulator.close());

  test('SIM-OAR-9: any path that ends in /responses is served, streamed and whole', async () => {
    for (const prefix of ['', '/v1', '/openai/v1', '/a/b/c']) {
      const answer = await fetch(`${simulator.url}${prefix}/responses`, {
        method: 'POST',
        body: JSON.stringify({ model: 'sim-plain', input: 'Hi', stream: prefix === '' }),
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain(prefix === '' ? 'text/event-stream' : 'application/json');
      expect(await answer.text()).toContain('output_text');
    }
    expect((await fetch(`${simulator.url}/v1/chat/completions`, { method: 'POST', body: '{}' })).status).toBe(404);
  });

  test('SIM-OAR-9: faults speak as the provider does', async () => {
    simulator.orderFault('429 2');
    const refused = await fetch(`${simulator.url}/v1/responses`, {
      method: 'POST',
      body: JSON.stringify({ model: 'sim-plain', input: 'Hi' }),
    });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } });
    expect(eventOf(responsesProtocol.errorFrame('overloaded'))).toMatchObject({ event: 'error' });
  });
});
