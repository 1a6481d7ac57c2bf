import { createClient } from '@bough/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  const server = await place.serve();
  const client = createClient({ baseUrl: server.url });
  await client.createPreset({
    name: 'Reviewer',
    provider: 'simulated_chat',
    model: 'sim-thinker',
    systemPrompt: 'Be strict.',
    tools: ['calculator'],
  });
  await client.createPrompt({ title: 'Brief', text: 'Answer in one line.' });
  await server.stop();
});
afterAll(() => place.dispose());

describe('presets on the command line', () => {
  it('CLI-60: chat and branch begin with a preset; other options count more', async () => {
    const words = ['chat', '--preset', 'Reviewer', '--effort', 'low', '--name', 'Checked', '-m', 'Hi', '--json'];
    const { code, err } = await place.bough(words);
    expect(code, err).toBe(0);
    const made = await place.bough(['branch', 'again', '--project', 'Checked', '--preset', 'Reviewer', '--json']);
    const expected = { provider: 'simulated_chat', systemPrompt: 'Be strict.', tools: ['calculator'] };
    expect(made.json()).toMatchObject({ ...expected, thinking: 'medium' });
    const own = await place.bough(['branch', 'low', '--project', 'Checked', '--json']);
    expect(own.json()).toMatchObject({ ...expected, thinking: 'low' });
  });

  it('CLI-60: a preset that does not exist, or that has nothing to begin, is refused', async () => {
    const unknown = await place.bough(['chat', '--preset', 'Nobody', '-m', 'Hi', '--json']);
    expect(unknown.code).toBe(1);
    expect(unknown.json()).toMatchObject({ error: { code: 'unknown_id' } });
    const existing = await place.bough(['chat', '--preset', 'Reviewer', '--branch', 'main', '-m', 'Hi']);
    expect(existing.code).toBe(2);
    expect(existing.err).toContain('bough branch');
  });

  it('CLI-61: moving everything takes presets and prompts along; what is there stays', async () => {
    const first = await place.bough(['move', '--all', '--to', 'git', '--to-data', 'copy']);
    expect(first.code, first.err).toBe(0);
    expect(first.out).toContain('presets: copied.');
    expect(first.out).toContain('prompts: copied.');
    const words = ['chat', '--preset', 'Reviewer', '--name', 'There', '-m', 'Hi', '--json', '--store', 'git'];
    const begun = await place.bough([...words, '--data', 'copy']);
    expect(begun.code, begun.err).toBe(0);
  });
});
