import { describe, expect, it } from 'vitest';
import { helpText, readScript, withoutCommands } from './index.ts';

describe('readScript', () => {
  it('SIM-7: an ordinary message asks for nothing', () => {
    const nothing = { help: false, faults: [], problems: [] };
    expect(readScript('How do trees grow?')).toEqual(nothing);
    expect(readScript('see /simple/path and x/sim think 3')).toEqual(nothing);
  });

  it.each([
    ['/sim think 3', { thinkingBlocks: 3 }],
    ['/sim think 2 5000', { thinkingBlocks: 2, thinkingCharacters: 5000 }],
    ['/sim redacted', { redactedBlocks: 1 }],
    ['/sim tools calculator x2', { tools: { names: ['calculator'], parallel: 2, steps: 1 } }],
    ['/sim tools a b steps 3', { tools: { names: ['a', 'b'], parallel: 2, steps: 3 } }],
    ['/sim tools', { tools: { names: [], parallel: 1, steps: 1 } }],
    ['/sim long 20000', { longCharacters: 20_000 }],
    ['/sim unicode', { content: 'unicode' }],
    ['/sim say hello there', { say: 'hello there' }],
    ['/sim say one\\ntwo lines', { say: 'one\ntwo lines' }],
    ['/sim refuse', { stop: 'refusal' }],
    ['/sim max_tokens', { stop: 'max_tokens' }],
    ['/sim', { help: true }],
  ])('SIM-7: reads %s', (text, expected) => {
    expect(readScript(text)).toMatchObject({ problems: [], ...expected });
  });

  it('SIM-7: reads several commands, on one line and on many, among other words', () => {
    const script = readScript('Please /sim think 2 /sim unicode\nand then\n/sim slow 50\n/sim fault cut 7 x1');
    expect(script).toMatchObject({
      thinkingBlocks: 2,
      content: 'unicode',
      faults: [
        { fault: { type: 'pace', ms: 50 }, times: null, call: null },
        { fault: { type: 'cut', after: 7 }, times: 1, call: null },
      ],
      problems: [],
    });
  });

  it('SIM-7: a typing error is told, not ignored', () => {
    const { problems } = readScript('/sim thnik 3 /sim think many /sim fault explode /sim slow');
    expect(problems).toHaveLength(4);
    expect(problems[0]).toContain('/sim thnik 3');
    expect(problems[1]).toContain('/sim think N');
    expect(problems[2]).toContain('"explode" is not a fault');
  });

  it('SIM-7: no number makes the simulator work for ever', () => {
    expect(readScript('/sim think 99999999 /sim long 99999999999 /sim tools x99999')).toMatchObject({
      thinkingBlocks: 50,
      longCharacters: 2_000_000,
      tools: { parallel: 50 },
    });
  });
});

describe('withoutCommands', () => {
  it('SIM-7: leaves what the person said', () => {
    expect(withoutCommands('Hello /sim think 3 /sim unicode\nworld\n/sim slow 5')).toBe('Hello \nworld');
  });
});

describe('helpText', () => {
  it('SIM-7: every command that the help shows is one', () => {
    const forms = [...helpText().matchAll(/\| `(\/sim [^`]*)` \|/g)].map(([, form = '']) => form);
    expect(forms.length).toBeGreaterThan(20);
    for (const form of forms) {
      if (form.includes('fault NAME')) continue;
      const example = form
        .replaceAll(/\[|\]|…|,.*$/g, '')
        .replaceAll(/\b(?:N|M|MS|SECONDS|SEED)\b/g, '3')
        .replaceAll('xN', 'x2');
      expect({ example, problems: readScript(example).problems }).toEqual({ example, problems: [] });
    }
  });
});
