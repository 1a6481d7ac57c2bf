import type { ProtocolId } from '@bough/core';
import type { Contestant, Result } from '../frame/contest.ts';
import { hold } from '../frame/contest.ts';
import { cpuMs } from '../frame/cpu.ts';
import type { Suite } from '../frame/suite.ts';
import { AI_SDK } from './ai-sdk.ts';
import { OFFICIAL } from './official.ts';
import type { Outcome } from './outcome.ts';
import { answering, checkOutcome } from './outcome.ts';
import type { Payload } from './payload.ts';
import { payloadOf } from './payload.ts';
import type { Reader } from './readers.ts';
import { readBough, readFloor } from './readers.ts';

const PROTOCOLS: readonly ProtocolId[] = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'];
const EVERYTHING = ['thinking', 'text', 'calls'] as const;
const FLOOR = 'eventsource-parser + JSON.parse';

const FULL = { size: { thinkingCharacters: 50_000, textCharacters: 80_000, calls: 4 }, replies: 2, rounds: 15 };
const QUICK = { size: { thinkingCharacters: 2_000, textCharacters: 3_000, calls: 2 }, replies: 1, rounds: 2 };

/** From the raw bytes of a stream to a finished reply. */
export const fold: Suite = {
  name: 'fold',
  works: ['fold'],
  about: 'CPU per MB of a streamed reply: bytes to the finished reply, with raw kept by Bough alone.',
  run: async (settings) => {
    const { size, replies, rounds } = settings.quick ? QUICK : FULL;
    const results: Result[] = [];
    for (const protocol of PROTOCOLS) {
      const payload = payloadOf(protocol, size);
      settings.progress(`${protocol}: ${payload.events} events, ${payload.megabytes.toFixed(2)} MB`);
      const official = OFFICIAL[protocol];
      const sdk = AI_SDK[protocol];
      results.push(
        await hold({
          work: 'fold',
          size: protocol,
          unit: 'ms/MB',
          rounds,
          contestants: [
            contestant('Bough', 'bough', payload, replies, readBough, EVERYTHING),
            contestant(FLOOR, 'floor', payload, replies, readFloor, EVERYTHING),
            contestant(official.name, 'peer', payload, replies, official.read, official.keeps),
            contestant(sdk.name, 'peer', payload, replies, sdk.read, sdk.keeps),
          ],
          goals: [
            { atMost: 1.5, times: FLOOR },
            { atMost: 1, times: official.name },
          ],
        }),
      );
    }
    return results;
  },
};

function contestant(
  name: string,
  role: Contestant['role'],
  payload: Payload,
  replies: number,
  read: Reader,
  keeps: readonly (keyof Outcome)[],
): Contestant {
  const fetch = answering(payload.chunks);
  return {
    name,
    role,
    run: async () => {
      const outcomes: (() => Outcome)[] = [];
      const ms = await cpuMs(async () => {
        for (let reply = 0; reply < replies; reply += 1) outcomes.push(await read(payload, fetch));
      });
      for (const outcome of outcomes) checkOutcome(name, outcome(), payload.expected, keeps);
      return ms / (payload.megabytes * replies);
    },
  };
}
