import type { UIMessage } from 'ai';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat, question } from '../testing/chat.ts';
import { BUDGET, ENCRYPTED, THOUGHTS } from '../testing/conversations.ts';
import { anyDamage, damaged } from '../testing/damage.ts';
import type { Ask, Lab, Vendor } from '../testing/lab.ts';
import { bridged, openLab } from '../testing/lab.ts';
import type { WireReport } from '../wire/index.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const ADAPTIVE: Ask = { providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } };
const SEATS: readonly (readonly [Vendor, string, Ask])[] = [
  ['claude', 'claude-opus-4-5', BUDGET],
  ['claude', 'claude-opus-4-5', {}],
  ['claude', 'claude-opus-4-6', ADAPTIVE],
  ['claude', 'claude-sonnet-5-5', {}],
  ['claude', 'claude-fable-5-2', {}],
  ['gpt', 'gpt-5', ENCRYPTED],
  ['gpt', 'gpt-5.1', {}],
  ['chat', 'gpt-4.1', {}],
  ['gemini', 'gemini-3.8-flash', THOUGHTS],
  ['gemini', 'gemini-2.5-pro', THOUGHTS],
];
const COMMANDS = [
  'think 1 /sim tools calculator',
  'think 2 /sim tools calculator x2 steps 2',
  'redacted 1 /sim tools calculator',
  'think 2',
  'say Hello',
  'empty',
  'unicode',
  'think 1 /sim max_tokens',
];

const anyTurn = fc.record({
  seat: fc.constantFrom(...SEATS),
  command: fc.constantFrom(...COMMANDS),
  /** 1 leaves a tool loop open, like a person who closes the page. */
  steps: fc.constantFrom(1, 4),
  /** The connection breaks after this many events. */
  cut: fc.option(fc.integer({ min: 1, max: 30 }), { freq: 3 }),
  damage: anyDamage,
  system: fc.constantFrom('', '', 'Be brief.'),
});
const anyHistory = fc.record({
  turns: fc.array(anyTurn, { minLength: 2, maxLength: 6 }),
  keepToolsAfterBreak: fc.boolean(),
  thinkingAsText: fc.boolean(),
});

const HISTORIES = Number(process.env['AI_SDK_HISTORIES'] ?? 40);

it('AIS-50: random conversations, handed around and damaged between turns, are never refused, and every message is accounted for', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async ({ turns, ...rules }) => {
      const messages: UIMessage[] = [];
      for (const { seat, command, steps, cut, damage, system } of turns) {
        const [vendor, id, settings] = seat;
        const repairs: WireReport[] = [];
        const guarded = lab.model(vendor, id, { onReport: (report) => repairs.push(report) });
        const { model, reports } = bridged(guarded, rules);
        if (cut !== null) lab.simulator.orderFault(`cut ${cut} x1`);
        messages.push(question(`Go. /sim ${command}`));
        const before = lab.exchanges.length;
        const { reply, errors } = await chat(model, messages, {
          ...settings,
          steps,
          ...(system === '' ? {} : { system }),
        });
        // A refusal comes before the stream begins; a stream that broke is an error too, but not one of ours.
        const refused = lab.exchanges.slice(before).filter(({ status }) => status !== 200);
        expect({ id, refused, errors: errors.map(String) }).toMatchObject({ id, refused: [] });
        if (cut === null) expect(errors).toEqual([]);
        expect(repairs).toEqual([]);
        for (const report of reports) {
          const told = new Set(report.messages.map(({ message }) => message));
          expect([...told].toSorted((a, b) => a - b)).toEqual([...told].map((_, index) => index));
        }
        messages.push(damaged(reply, damage));
      }
    }),
    { numRuns: HISTORIES, interruptAfterTimeLimit: 240_000, markInterruptAsFailure: false },
  );
}, 300_000);
