import type { Config, EnvironmentVariables } from '@bough/server';
import { readConfig } from '@bough/server';
import type { Input, OptionSpecs } from '../arguments/index.ts';
import type { Terminal } from '../terminal/index.ts';

/** Where the data is, for every command that can open it. */
export const STORE_OPTIONS: OptionSpecs = {
  data: { description: 'the data directory (default ~/.bough)', value: 'directory' },
  store: { description: 'how data is kept', value: 'store', choices: ['postgres', 'git', 'files'] },
};

export interface Settings {
  readonly config: Config;
  readonly env: EnvironmentVariables;
}

const VARIABLES: Readonly<Record<string, string>> = {
  data: 'BOUGH_DATA_DIR',
  store: 'BOUGH_STORE',
  port: 'PORT',
  host: 'HOST',
};

/** The environment and the configuration file, with the options of the command line on top. */
export function settingsOf(input: Input, terminal: Terminal): Settings {
  const env: Record<string, string | undefined> = { ...terminal.env };
  for (const [option, variable] of Object.entries(VARIABLES)) {
    const value = input.text(option);
    if (value !== undefined) env[variable] = value;
  }
  return { config: readConfig(env, terminal.cwd), env };
}
