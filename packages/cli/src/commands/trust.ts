import { CONFIG_FILE, consequencesOf, distrustFile, readTrusted, shown, trustFile } from '@bough/server';
import { basename, resolve } from 'node:path';
import type { Input } from '../arguments/index.ts';
import { UsageError } from '../arguments/index.ts';
import type { Command } from '../command.ts';
import { DATA_OPTION, dataDirectoryOf } from '../connect/index.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson } from '../terminal/index.ts';

export const trust: Command = {
  name: 'trust',
  summary: 'Use the bough.config.json of this directory from now on, until it changes.',
  positionals: [{ name: 'file', optional: true }],
  options: {
    ...DATA_OPTION,
    forget: { description: 'do not use it any more' },
    list: { description: 'list the files that are trusted' },
  },
  examples: ['bough trust', 'bough trust --list'],
  run: async (input, terminal) => {
    const dataDir = dataDirectoryOf(input, terminal);
    if (input.flag('list')) {
      const trusted = readTrusted(dataDir);
      if (input.flag('json')) printJson(terminal, trusted);
      else terminal.write(trusted.map(({ path }) => `${shown(path)}\n`).join(''));
      return 0;
    }
    const path = fileOf(input, terminal);
    if (input.flag('forget')) {
      if (!distrustFile(dataDir, path)) throw new UsageError(`${path} was not trusted.`);
      if (input.flag('json')) printJson(terminal, { forgotten: path });
      else terminal.write(`${shown(path)} is not used any more.\n`);
      return 0;
    }
    const { file, ...trusted } = trustFile(dataDir, path);
    if (input.flag('json')) printJson(terminal, trusted);
    else {
      terminal.write(
        `${shown(trusted.path)} is used from now on by what is started in its directory, until it changes. `,
      );
      terminal.write(`It will ${consequencesOf(file)}.\n`);
    }
    return 0;
  },
};

function fileOf(input: Input, terminal: Terminal): string {
  const path = resolve(terminal.cwd, input.positional('file') ?? CONFIG_FILE);
  if (basename(path) === CONFIG_FILE) return path;
  throw new UsageError(`Only a ${CONFIG_FILE} is found by itself. Name any other file with --config.`);
}
