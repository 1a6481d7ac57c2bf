/** How a program is started: what `spawn` takes. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments are quoted already. */
  readonly windowsVerbatimArguments?: true;
}

/** What a Windows shell gives a meaning of its own. */
const META = /[()\][%!^"`<>&|;, *?]/g;

/**
 * On Windows, programs that npm installs (`npx`, `claude`) are scripts that only a shell can start, and the shell would
 * read their arguments as commands: each is quoted for the program, and escaped for the shell; twice, because such a
 * script hands them to a shell again. Everywhere else, and for an `.exe`, the program is started as it is.
 */
export function invocationOf(
  platform: string,
  command: string,
  args: readonly string[],
  shell: string | undefined,
): Invocation {
  if (platform !== 'win32' || /\.(?:exe|com)$/i.test(command)) return { command, args };
  const line = [command.replaceAll(META, '^$&'), ...args.map(escaped)].join(' ');
  return { command: shell ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

function escaped(argument: string): string {
  // Backslashes count as such unless quotes follow; a line break would end the command.
  const quoted = `"${argument
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll(/(\\*)"/g, '$1$1\\"')
    .replace(/(\\*)$/, '$1$1')}"`;
  return quoted.replaceAll(META, '^$&').replaceAll(META, '^$&');
}

/** Ends a program and what it started, on Windows, which has no process groups. */
export function taskkillArguments(pid: number): readonly string[] {
  return ['/pid', String(pid), '/T', '/F'];
}

/** What tells a program to stop. Closing its window is SIGHUP on Windows; a service manager there sends SIGBREAK. */
export function stopSignals(platform: string): readonly ('SIGINT' | 'SIGTERM' | 'SIGBREAK' | 'SIGHUP')[] {
  return platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];
}
