import type { ProtocolId } from '@bough/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../testing/agents.ts';
import { AGENTS } from '../testing/agents.ts';
import type { Stage } from '../testing/stage.ts';
import { startStage } from '../testing/stage.ts';

const SEATS: Readonly<Record<ProtocolId, string>> = {
  'anthropic-messages': 'simulated',
  'openai-responses': 'simulated_responses',
  'openai-chat': 'simulated_chat',
  gemini: 'simulated_gemini',
};
const PROTOCOLS = Object.keys(SEATS) as readonly ProtocolId[];
const PAIRS = PROTOCOLS.flatMap((client) => PROTOCOLS.map((provider) => [client, provider] as const));
const MODELS = ['sim-interleaved', 'sim-parallel', 'sim-summary'] as const;

/** Before the first byte, and after some. */
const FAULTS = ['400', '413', 'error 2', 'cut 2'] as const;

let stage: Stage;
beforeAll(async () => {
  const rules = PROTOCOLS.flatMap((client) =>
    PROTOCOLS.flatMap((provider) =>
      MODELS.map((model) => ({
        from: SEATS[client],
        model: `${provider}-${model}-*`,
        to: { provider: SEATS[provider], model, thinking: 'high' as const },
      })),
    ),
  );
  stage = await startStage(rules);
});
afterAll(() => stage.close());
beforeEach(() => stage.simulator.clearLog());

/** Numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What the provider refused or did not get back. */
function complaints(): readonly string[] {
  return stage.simulator
    .log()
    .filter(({ kind, withheld = [] }) => (kind !== 'accepted' && kind !== 'fault') || withheld.length > 0)
    .map(
      ({ kind, path, rule, detail, withheld = [] }) => `${kind} ${path} ${rule ?? ''} ${detail} ${withheld.join(' ')}`,
    );
}

const agentOf = (client: ProtocolId, provider: ProtocolId, model: string, system?: string): Agent =>
  AGENTS[client]({
    stage,
    provider: SEATS[client],
    model: `${provider}-${model}-1`,
    system,
    tools: ['calculator', 'search'],
  });

describe.each(PAIRS)('a client of %s before a provider of %s', (client, provider) => {
  it.each([1, 2, 3])(
    'GW-80: holds any conversation (%i); nothing is refused, and the provider gets all of its reasoning back',
    async (seed) => {
      const pick = numbers(seed * 16 + PAIRS.findIndex(([a, b]) => a === client && b === provider));
      const model = MODELS[pick(MODELS.length)] ?? MODELS[0];
      const agent = agentOf(client, provider, model, pick(2) === 0 ? 'You help.' : undefined);
      // Nobody else says the same: histories that are equal are one conversation.
      const topic = `${client} ${provider} ${seed}`;
      let steps = 0;
      for (let turn = 0; turn < 5; turn += 1) {
        const picture = pick(4) === 0;
        switch (pick(6)) {
          case 0:
            await expect(agent.say(`${topic}? /sim fault ${FAULTS[pick(FAULTS.length)]}`)).rejects.toThrow(Error);
            break;
          case 1:
            await agent.say(`${topic}, no. /sim long 4000`, { leave: true });
            break;
          case 2:
            await stage.restart();
            expect(await agent.say(`${topic}, again ${turn}.`, { picture })).not.toBe('');
            break;
          default:
            expect(await agent.say(`${topic} ${turn}. /sim tools calculator search steps 2`, { picture })).not.toBe('');
            steps += 1;
        }
      }
      expect(await agent.say('And at the end?')).not.toBe('');
      expect(complaints()).toEqual([]);
      expect(agent.requests()).toBeGreaterThanOrEqual(6 + steps * 2);
    },
  );
});
