export type { Command, ExitCode } from './command.ts';
export { COMMANDS, run } from './run.ts';
export type { Terminal } from './terminal/index.ts';
