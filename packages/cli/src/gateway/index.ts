import { basename } from 'node:path';
import { anyProgram } from './any-program.ts';
import { claudeCode } from './claude-code.ts';
import type { KnownClient } from './client.ts';
import { codex } from './codex.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';

export * from './client.ts';
export { start } from './start.ts';

export const CLIENTS: readonly KnownClient[] = [claudeCode, codex, geminiCli, opencode, anyProgram];

/** What is known about a program, by its name. */
export function clientOf(program: string): KnownClient {
  const name = basename(program).replace(/\.(?:exe|cmd|ps1|m?js)$/i, '');
  return CLIENTS.find(({ programs }) => programs.includes(name)) ?? anyProgram;
}
