import { describe, expect, it } from 'vitest';
import { invocationOf, stopSignals, taskkillArguments } from './index.ts';

/** What `cmd.exe` makes of a line: a caret stands for the character after it. (Quotes are always escaped here.) */
const throughShell = (line: string): string => line.replaceAll(/\^([^])/g, '$1');

/** What a C program makes of its command line. */
function argumentsOf(line: string): readonly string[] {
  const found: string[] = [];
  for (const [, inside = '', plain = ''] of line.matchAll(/"((?:\\.|[^"\\])*)"|(\S+)/g))
    found.push(plain === '' ? inside.replaceAll(/(\\+)"/g, (_, slashes: string) => `${slashes.slice(1)}"`) : plain);
  return found;
}

describe('PRG-81: programs on Windows', () => {
  it.each([['plain'], ['two words'], ['a & del *'], ['%PATH% !x!'], ['say "hi"'], ['(a|b) > c < d ^ e'], ['']])(
    'PRG-81: an argument arrives as it was meant, and is never a command (%j)',
    (argument) => {
      const { command, args, windowsVerbatimArguments } = invocationOf('win32', 'npx', [argument], 'C:\\cmd.exe');
      expect([command, windowsVerbatimArguments]).toEqual(['C:\\cmd.exe', true]);
      expect(args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
      const line = args[3]?.slice(1, -1) ?? '';
      // Nothing with a meaning stands there unescaped, for the first shell as for the second.
      const first = throughShell(line);
      for (const seen of [line, first]) expect(seen.slice(4).replaceAll(/\^[^]/g, '')).not.toMatch(/["&|<>()%!]/);
      expect(argumentsOf(throughShell(first))).toEqual(['npx', argument]);
    },
  );

  it('PRG-81: a line break cannot begin another command', () => {
    expect(invocationOf('win32', 'npx', ['a\r\ndel b'], undefined).args[3]).not.toMatch(/[\r\n]/);
  });

  it('PRG-81: elsewhere, and for an .exe, nothing is changed', () => {
    const given = { command: 'npx', args: ['a & b'] };
    for (const platform of ['linux', 'darwin'])
      expect(invocationOf(platform, given.command, given.args, '/bin/sh')).toEqual(given);
    expect(invocationOf('win32', 'C:\\x\\node.exe', ['a & b'], undefined)).toEqual({
      command: 'C:\\x\\node.exe',
      args: ['a & b'],
    });
  });
});

it('PRG-82: what ends a program depends on the system', () => {
  expect(stopSignals('linux')).toEqual(['SIGINT', 'SIGTERM']);
  expect(stopSignals('win32')).toEqual(['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP']);
  expect(taskkillArguments(7)).toEqual(['/pid', '7', '/T', '/F']);
});
