import type { OptionSpecs, Positional } from './options.ts';
import { COMMON_OPTIONS } from './options.ts';

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly options: OptionSpecs;
  readonly examples: readonly string[];
}

export function helpOf(command: Described): string {
  const words = command.positionals.map(({ name, optional, rest }) => {
    const word = rest === true ? `${name}…` : name;
    return optional === true ? `[${word}]` : `<${word}>`;
  });
  return [
    `bough ${[command.name, ...words].join(' ')}`,
    '',
    `  ${command.summary}`,
    '',
    'Options',
    ...optionLines({ ...command.options, ...COMMON_OPTIONS }),
    '',
    'Examples',
    ...command.examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

export function overview(commands: readonly Described[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'bough: branching conversations with reasoning models',
    '',
    'Commands',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Without a command, bough serves the workspace. `bough <command> --help` shows options and examples,',
    '`bough --version` the version.',
    '',
  ].join('\n');
}

function optionLines(specs: OptionSpecs): readonly string[] {
  const rows = Object.entries(specs).map(([name, { short, value, choices, description }]) => {
    const placeholder = value === undefined ? '' : ` <${choices === undefined ? value : choices.join('|')}>`;
    return [`${short === undefined ? '' : `-${short}, `}--${name}${placeholder}`, description] as const;
  });
  const width = Math.min(36, Math.max(...rows.map(([left]) => left.length)));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
