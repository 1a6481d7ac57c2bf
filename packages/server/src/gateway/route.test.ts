import { describe, expect, it } from 'vitest';
import { miniClient } from './client.ts';
import { startStage } from './testing.ts';

describe('routes of the configuration', () => {
  it('GW-81: send a client to another provider, also after a restart, and the provider gets its reasoning back', async () => {
    const to = { provider: 'openai_responses', model: 'sim-summary', thinking: 'high' };
    const stage = await startStage({}, { gateway: { routes: [{ from: 'anthropic', model: 'claude-*', to }] } });
    let at = stage.at;
    const client = miniClient('anthropic-messages', (provider) => at(provider), { model: 'claude-any', tools: ['ls'] });
    const first = await client.say('Look. /sim tools ls');
    expect([first.status, first.calls.length], first.text).toEqual([200, 1]);
    expect((await client.answer('a.ts')).status).toBe(200);
    const restarted = await stage.server.restart();
    at = (provider) => `${restarted.url}/gateway/${provider}`;
    const last = await client.say('And then?');
    expect([last.status, last.text === ''], last.text).toEqual([200, false]);
    const asked = stage.tee.seen().filter(({ method }) => method === 'POST');
    expect(asked.map(({ url }) => url)).toEqual(['/v1/responses', '/v1/responses', '/v1/responses']);
    const complaints = stage.simulator
      .log()
      .filter(({ kind, withheld = [] }) => kind !== 'accepted' || withheld.length > 0);
    expect(complaints).toEqual([]);
    await restarted.stop();
  });
});
