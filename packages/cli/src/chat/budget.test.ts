import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
  await place.configure({ budgets: { tight: { tokens: 1 } } });
  await place.bough(['chat', '--name', 'Sky', '-m', '/sim say one']);
});
afterEach(() => place.dispose());

const turns = async (): Promise<number> =>
  ((await place.bough(['log', '--json'])).json() as readonly { readonly role: string }[]).filter(
    ({ role }) => role === 'user',
  ).length;

describe('budgets on the command line', () => {
  it('CLI-80: a message beyond a budget is refused with how to send it nevertheless', async () => {
    const refused = await place.bough(['chat', '--project', 'Sky', '-m', '/sim say two']);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/The budget "tight" is used up: .* With --over-budget it is sent nevertheless\./);
    expect((await place.bough(['regenerate', '--project', 'Sky'])).code).toBe(1);
    const sent = await place.bough(['chat', '--project', 'Sky', '-m', '/sim say two', '--over-budget']);
    expect([sent.code, sent.out]).toEqual([0, expect.stringContaining('two')]);
    expect(await turns()).toBe(2);
  });

  it('CLI-80: so is a summary, which is made nevertheless with the same option', async () => {
    const compact = (...words: readonly string[]) => place.bough(['compact', 'main', '--project', 'Sky', ...words]);
    const refused = await compact();
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('With --over-budget')]);
    const made = await compact('--over-budget');
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('a summary stands for 2 messages')]);
    await place.bough(['branch', 'idea', '--project', 'Sky']);
    await place.bough(['chat', '--project', 'Sky', '--branch', 'idea', '-m', '/sim say two', '--over-budget']);
    const merge = (...words: readonly string[]) =>
      place.bough(['merge', 'idea', 'main', '--project', 'Sky', '--summary', ...words]);
    expect((await merge()).err).toContain('With --over-budget');
    expect((await merge('--over-budget')).code).toBe(0);
  });

  it('CLI-81: in a conversation the person is asked', async () => {
    const input = new PassThrough();
    const script = [
      ['main>', '/sim say two'],
      ['[y/N]', 'n'],
      ['main>', '/sim say three'],
      ['[y/N]', 'y'],
      ['three', '/quit'],
    ] as const;
    let [at, seen] = [0, ''];
    const onWrite = (text: string): void => {
      seen += text;
      const next = script[at];
      if (next === undefined || !seen.includes(next[0])) return;
      at += 1;
      seen = '';
      input.write(`${next[1]}\n`);
    };
    const { out, err } = await place.bough(['chat', '--project', 'Sky'], { input, onWrite, isInteractive: true });
    // The output is what the model says, and nothing else: it may go into a file.
    expect(err).toContain('The budget "tight" is used up');
    expect(out).not.toContain('[y/N]');
    expect(await turns()).toBe(2);
  });

  it('CLI-82: `bough budgets` shows what is used', async () => {
    const { out } = await place.bough(['budgets']);
    expect(out).toMatch(/tight\s+\d+ tokens\s+1 tokens\s+\d{4}-\d\d-\d\d 00:00 UTC\s+used up/);
    expect((await place.bough(['budgets', '--json'])).json()).toMatchObject([{ name: 'tight', limit: 1 }]);
  });

  it('CLI-196: `bough costs` shows what was spent, by what is asked for, and as CSV', async () => {
    const { out } = await place.bough(['costs', '--by', 'day']);
    expect(out).toMatch(/^day\s+model\s+calls\s+input/);
    expect(out).toMatch(/\d{4}-\d\d-\d\d\s+simulated\/sim-\S+\s+\d+/);
    expect((await place.bough(['costs', '--json'])).json()).toMatchObject([{ provider: 'simulated', cost: 0 }]);
    expect((await place.bough(['costs', '--csv'])).out).toMatch(
      /^day,projectId,projectName,client,provider,model,calls/,
    );
    expect((await place.bough(['costs', '--by', 'week'])).code).toBe(2);
    // The costs of a branch that is not there are not those of everything.
    expect((await place.bough(['costs', 'nowhere'])).code).toBe(1);
    expect((await place.bough(['costs', 'main', '--csv'])).code).toBe(2);
    expect((await place.bough(['costs', 'main', '--json'])).json()).toMatchObject([{ provider: 'simulated' }]);
  });
});
