import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

interface Node {
  readonly role: string;
  readonly content: string;
  readonly interrupted: boolean;
}

/** Types each line when the output so far contains its cue. */
async function typing(
  words: readonly string[],
  script: readonly (readonly [cue: string, line: string])[],
): Promise<string> {
  const input = new PassThrough();
  const waiting = [...script];
  let seen = '';
  const onWrite = (text: string): void => {
    seen += text;
    const [next] = waiting;
    if (next === undefined || !seen.includes(next[0])) return;
    waiting.shift();
    seen = '';
    input.write(`${next[1]}\n`);
    if (waiting.length === 0) input.end();
  };
  return (await place.bough(words, { input, onWrite, isInteractive: true })).out;
}

const nodes = async (): Promise<readonly Node[]> => (await place.bough(['log', '--json'])).json() as Node[];

describe('a chat in the terminal', () => {
  it('CLI-13: /stop stops the reply in its middle, and what came is kept', async () => {
    await typing(
      ['chat', '--name', 'Stopped'],
      [
        ['main>', '/sim slow 30 /sim long 6000'],
        ['(thought:', '/stop'],
        ['main>', '/quit'],
      ],
    );
    const reply = (await nodes()).find(({ role }) => role === 'assistant');
    expect(reply?.interrupted).toBe(true);
    expect(reply?.content.length).toBeLessThan(6000);
  });

  it.each([
    ['y', '391'],
    ['n', 'declined'],
  ])('CLI-14: a tool that must be asked for is asked for: %s', async (answer, result) => {
    await place.configure({ tools: { approval: { calculator: 'ask' } } });
    await typing(
      ['chat', '--name', 'Asked', '--tools', 'calculator'],
      [
        ['main>', '/sim tools calculator'],
        ['Run it? [y/N]', answer],
        ['main>', '/quit'],
      ],
    );
    expect((await nodes()).find(({ role }) => role === 'tool')?.content).toContain(result);
  });
});
