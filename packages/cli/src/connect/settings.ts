import type { Config, EnvironmentVariables } from '@bough/server';
import { dataDirOf, ignoredNotice, readConfig } from '@bough/server';
import type { Input, OptionSpecs } from '../arguments/index.ts';
import type { Terminal } from '../terminal/index.ts';

export const DATA_OPTION: OptionSpecs = {
  data: { description: 'the data directory (default ~/.bough)', value: 'directory' },
};

/** Where the data is, and how it is configured, for every command that can open it. */
export const STORE_OPTIONS: OptionSpecs = {
  ...DATA_OPTION,
  config: { description: 'the configuration file (default: bough.config.json of the data directory)', value: 'file' },
  store: { description: 'how data is kept', value: 'store', choices: ['postgres', 'git', 'files'] },
};

export interface Settings {
  readonly config: Config;
  readonly env: EnvironmentVariables;
}

const VARIABLES: Readonly<Record<string, string>> = {
  data: 'BOUGH_DATA_DIR',
  store: 'BOUGH_STORE',
  config: 'BOUGH_CONFIG',
  port: 'PORT',
  host: 'HOST',
};

/**
 * The environment and the configuration file, with the options of the command line on top. A file that is not used is
 * reported.
 */
export function settingsOf(input: Input, terminal: Terminal): Settings {
  const settings = quietSettingsOf(input, terminal);
  const { ignored } = settings.config;
  if (ignored !== null) terminal.warn(`${ignoredNotice(ignored)}\n`);
  return settings;
}

export function quietSettingsOf(input: Input, terminal: Terminal): Settings {
  const env = environmentOf(input, terminal);
  return { config: readConfig(env, terminal.cwd), env };
}

/** Found without reading any file: it must be known even where the files in it cannot be used. */
export function dataDirectoryOf(input: Input, terminal: Terminal): string {
  return dataDirOf(environmentOf(input, terminal), terminal.cwd);
}

function environmentOf(input: Input, terminal: Terminal): EnvironmentVariables {
  const env: Record<string, string | undefined> = { ...terminal.env };
  for (const [option, variable] of Object.entries(VARIABLES)) {
    const value = input.text(option);
    if (value !== undefined) env[variable] = value;
  }
  return env;
}
