import { spawnSync } from 'node:child_process';
import { basename, join, resolve } from 'node:path';
import type { Decoy } from './decoy.ts';

// Where strace is installed and permitted, it reports every process, every connection and every file opened for
// writing, including those that left no trace. Where it is not, the watcher's digests and canaries must do.

const CALLS =
  'execve,execveat,connect,open,openat,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,' +
  'symlink,symlinkat,chmod,fchmodat,chown,lchown,fchownat,truncate,mknod,mknodat,utimensat';
const FLAGS = ['-f', '-y', '-qq', '-s', '4096', '--seccomp-bpf', '-e', `trace=${CALLS}`];

let found: string | null | undefined;

/** Where strace is; null where it is missing, or may not trace processes. */
export function tracer(): string | null {
  if (found !== undefined) return found;
  const path = spawnSync('sh', ['-c', 'command -v strace'], { encoding: 'utf8' }).stdout.trim();
  const works =
    path !== '' && spawnSync(path, [...FLAGS, '-o', '/dev/null', process.execPath, '--version']).status === 0;
  found = works ? path : null;
  return found;
}

export const traced = (command: readonly string[], output: string): readonly string[] => [
  tracer() ?? 'strace',
  ...FLAGS,
  '-o',
  output,
  ...command,
];

interface Bounds {
  readonly mayWrite: readonly string[];
  readonly git: boolean;
  readonly decoy: Decoy;
}

/** What the trace shows that should not have happened. */
export function seenBy(trace: string, bounds: Bounds): readonly string[] {
  let isFirst = true;
  return wholeCalls(trace).flatMap((call) => {
    if (/ = -1 E/.test(call)) return [];
    if (call.startsWith('exec')) {
      // The first one is the program itself.
      const wasFirst = isFirst;
      isFirst = false;
      return wasFirst || isAllowedProcess(call, bounds) ? [] : [`a process: ${call}`];
    }
    if (call.startsWith('connect')) return isAllowedConnection(call) ? [] : [`a connection: ${call}`];
    return changedPaths(call)
      .filter((path) => !isAllowedPath(path, bounds))
      .map((path) => `a write to ${path}: ${call}`);
  });
}

/** Joins calls that the trace splits in half where several threads run. */
function wholeCalls(trace: string): readonly string[] {
  const halves = new Map<string, string>();
  return trace.split('\n').flatMap((line) => {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (call.endsWith('<unfinished ...>')) {
      halves.set(thread, call.slice(0, -'<unfinished ...>'.length));
      return [];
    }
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(call)?.[1];
    return rest === undefined ? call : `${halves.get(thread) ?? ''}${rest}`;
  });
}

function isAllowedProcess(call: string, { git, decoy }: Bounds): boolean {
  const path = /"((?:[^"\\]|\\.)*)"/.exec(call)?.[1] ?? '';
  return git && (path === join(decoy.shims, 'git') || (basename(path) === 'git' && /^\/(?:usr|opt|bin)\b/.test(path)));
}

/** The program talks to itself over loopback; the decoy's port counts its visitors itself. */
function isAllowedConnection(call: string): boolean {
  return !/AF_INET/.test(call) || /inet_addr\("127\.0\.0\.1"\)/.test(call) || /"::1"/.test(call);
}

/** The paths that a call changes: for an opened file where it really is, for everything else as it was named. */
function changedPaths(call: string): readonly string[] {
  if (/^(?:open|openat|creat)\(/.test(call)) {
    if (!/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^creat/.test(call)) return [];
    return [/ = \d+<(.*)>$/.exec(call)?.[1] ?? call];
  }
  const named = [...call.matchAll(/(?:<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)];
  // A link's target is a text, not a place.
  const places = call.startsWith('symlink') ? named.slice(1) : named;
  return places.map(([, directory = '/', path = '']) => resolve(directory, path));
}

function isAllowedPath(path: string, { mayWrite, decoy }: Bounds): boolean {
  // Terminals, pipes and what the system keeps for every process.
  if (/^\/(?:dev|proc)\//.test(path) || /^(?:pipe|socket|anon_inode|TCP|UNIX)/.test(path)) return true;
  return [...mayWrite, join(decoy.root, 'canary', 'git')].some((free) => path === free || path.startsWith(`${free}/`));
}
