import type { UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, question } from '../testing/chat.ts';
import { BUDGET, ENCRYPTED, THOUGHTS } from '../testing/conversations.ts';
import type { Ask, Lab, Vendor } from '../testing/lab.ts';
import { bridged, openLab } from '../testing/lab.ts';
import { fromUIMessages, toUIMessages } from './index.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const stored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/**
 * What the AI SDK itself loses, with and without the bridge: it moves the signature that Gemini streams on an empty
 * part to the text before it, and it rewrites the arguments of calls.
 */
const OF_THE_SDK = ['SIM-GEM-MOVED', 'arguments_rewritten'];

interface Seat {
  readonly to: readonly [Vendor, string];
  readonly options: Ask;
  readonly command: string;
  /** What the wire must carry when the conversation continues. */
  readonly sealed: RegExp | null;
}

const SEATS: readonly Seat[] = [
  { to: ['claude', 'claude-opus-4-5'], options: BUDGET, command: 'think 2', sealed: /"signature":"[^"]{40}/ },
  { to: ['claude', 'claude-opus-4-5'], options: BUDGET, command: 'redacted 1', sealed: /"redacted_thinking"/ },
  { to: ['claude', 'claude-fable-5-2'], options: {}, command: 'think 1', sealed: /"signature":"[^"]{40}/ },
  { to: ['gpt', 'gpt-5'], options: ENCRYPTED, command: 'think 2', sealed: /"encrypted_content":"gAAAA/ },
  { to: ['gemini', 'gemini-3.8-flash'], options: THOUGHTS, command: 'think 1', sealed: /"thoughtSignature":"[^"]{40}/ },
  { to: ['gemini', 'gemini-2.5-pro'], options: THOUGHTS, command: 'think 1', sealed: /"thoughtSignature":"[^"]{40}/ },
  { to: ['chat', 'gpt-4.1'], options: {}, command: 'think 1', sealed: null },
];

describe.each(SEATS)('messages that the AI SDK streams from $to.1 ($command)', ({ to, options, command, sealed }) => {
  const ask = question(`/sim ${command} /sim tools calculator`);

  it.each([true, false])('AIS-7: come back the same through Bough’s nodes (bridge: %s)', async (isBridged) => {
    const model = lab.model(...to);
    const { reply, errors } = await chat(isBridged ? bridged(model).model : model, [ask], options);
    expect(errors).toEqual([]);
    expect(reply.parts.map(({ type }) => type)).toContain('tool-calculator');
    const messages = stored([ask, reply]);
    const nodes = stored(fromUIMessages(messages));
    expect(nodes.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(stored(toUIMessages(nodes))).toEqual(messages);
  });

  it('AIS-8: go on through Bough’s nodes with their reasoning, accepted and nothing lost', async () => {
    const { model, reports } = bridged(lab.model(...to));
    const { reply } = await chat(model, [ask], options);
    const back: UIMessage[] = toUIMessages(stored(fromUIMessages(stored([ask, reply]))));
    lab.simulator.clearLog();
    const { errors } = await chat(model, [...back, question('/sim say Done')], options);
    expect(errors).toEqual([]);
    expect(lab.exchanges.at(-1)?.status).toBe(200);
    if (sealed !== null) expect(JSON.stringify(lab.exchanges.at(-1)?.body)).toMatch(sealed);
    const lost = lab.simulator.log().filter(({ kind, rule = '' }) => kind !== 'accepted' && !OF_THE_SDK.includes(rule));
    expect(lost).toEqual([]);
    expect(reports.at(-1)?.messages.filter(({ fidelity }) => fidelity !== 'verbatim')).toEqual([]);
  });

  it('AIS-9: nodes that know nothing of the AI SDK go on with their reasoning too', async () => {
    const { model, reports } = bridged(lab.model(...to));
    // One thought: several summaries of one item are one thought for Bough, and one part each for the AI SDK.
    const once = question(`/sim ${command.replace('2', '1')} /sim tools calculator`);
    const { reply } = await chat(model, [once], options);
    const nodes = fromUIMessages([once, reply]).map((node) => ({
      ...node,
      contentBlocks: node.contentBlocks.filter(({ type }) => !type.startsWith('ui_')),
    }));
    const { errors } = await chat(model, [...toUIMessages(nodes), question('/sim say Done')], options);
    expect(errors).toEqual([]);
    expect(lab.exchanges.at(-1)?.status).toBe(200);
    if (sealed !== null) expect(JSON.stringify(lab.exchanges.at(-1)?.body)).toMatch(sealed);
    expect(reports.at(-1)?.messages.filter(({ fidelity }) => fidelity !== 'verbatim')).toEqual([]);
  });
});
