import { treeOf } from '@bough/testkit';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Decoy } from './decoy.ts';
import { TREASURE } from './decoy.ts';
import { seenBy, traced, tracer } from './trace.ts';

/** One command. */
export interface Visit {
  readonly words: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Watching {
  /** Where they may write; only the data directory by default. */
  readonly mayWrite?: readonly string[];
  /** Whether git may be started. */
  readonly git?: boolean;
}

export interface Ended {
  readonly words: readonly string[];
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Seen {
  readonly ended: readonly Ended[];
  /** Everything that happened and should not have: empty for harmless visits. */
  readonly trouble: readonly string[];
}

const PATIENCE_MS = 280_000;

/** Runs commands in a process of their own and examines everything that they could have touched. */
export async function watch(decoy: Decoy, visits: readonly Visit[], watching: Watching = {}): Promise<Seen> {
  const mayWrite = [...(watching.mayWrite ?? [decoy.data]), decoy.temporary];
  const git = watching.git ?? false;
  await mkdir(decoy.temporary, { recursive: true });
  await rm(join(decoy.root, 'canary', 'git'), { force: true });
  const before = await untouchable(decoy, mayWrite);
  const trace = tracer() === null ? null : join(decoy.root, 'canary', 'trace');
  const { ended, complaint } = await run(decoy, visits, trace);
  const trouble = [
    ...differences(before, await untouchable(decoy, mayWrite)),
    ...(await readdir(decoy.temporary)).map((name) => `${name} was left in the directory for temporary files`),
    ...(await decoy.alarms()),
    ...(trace === null ? [] : seenBy(await readFile(trace, 'utf8'), { mayWrite, git, decoy })),
    ...(git ? [] : await gitCalls(decoy)),
    ...(ended.length === visits.length
      ? []
      : [`it did not get beyond ${visits[ended.length]?.words.join(' ')}: ${complaint}`]),
    ...ended.flatMap(({ words, out, err }) =>
      problemsOf(`${out}${err}`).map((problem) => `${words.join(' ')}: ${problem}`),
    ),
    ...(await treasuresIn(decoy.data)),
  ];
  return { ended, trouble };
}

function problemsOf(printed: string): readonly string[] {
  return [
    ...(/^\s+at \S/m.test(printed) ? [`it ended with a stack trace: ${printed.slice(0, 600)}`] : []),
    ...(printed.includes(TREASURE) ? ['a treasure was printed'] : []),
    // oxlint-disable-next-line no-control-regex
    ...(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(printed) ? ['a control character was printed'] : []),
  ];
}

async function run(
  decoy: Decoy,
  visits: readonly Visit[],
  trace: string | null,
): Promise<{ readonly ended: readonly Ended[]; readonly complaint: string }> {
  const orders = visits.map(({ words, cwd = decoy.home, env = {} }) => ({ words, cwd, env }));
  const command = [process.execPath, decoy.program, JSON.stringify(orders)];
  const [program = '', ...rest] = trace === null ? command : traced(command, trace);
  const child = spawn(program, rest, {
    cwd: decoy.home,
    env: {
      PATH: decoy.shims,
      HOME: decoy.home,
      TMPDIR: decoy.temporary,
      BOUGH_DATA_DIR: decoy.data,
      BOUGH_STORE: 'files',
      BOUGH_SIMULATOR_PACE_MS: '0',
      BOUGH_GRACE_MS: '0',
      ANTHROPIC_API_KEY: TREASURE,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const [out, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  clearTimeout(timer);
  const lines = out.split('\n').filter((line) => line !== '');
  return { ended: lines.map((line) => JSON.parse(line) as Ended), complaint };
}

/** Everything in the decoy except the places where Bough may write and what the watcher itself writes. */
async function untouchable(decoy: Decoy, mayWrite: readonly string[]): Promise<Record<string, string>> {
  const found = await treeOf(decoy.root, { times: true });
  const own = [...mayWrite.map((path) => path.slice(decoy.root.length + 1)), 'canary'];
  return Object.fromEntries(
    Object.entries(found).filter(([path]) => !own.some((free) => path === free || path.startsWith(`${free}/`))),
  );
}

function differences(before: Record<string, string>, after: Record<string, string>): readonly string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths]
    .filter((path) => before[path] !== after[path])
    .map((path) => `${path} was ${before[path] ?? 'not there'} and is ${after[path] ?? 'gone'}`);
}

/** git records how it was called. */
async function gitCalls(decoy: Decoy): Promise<readonly string[]> {
  const log = await readFile(join(decoy.root, 'canary', 'git'), 'utf8').catch(() => '');
  return log === '' ? [] : [`git was started: ${log}`];
}

/** What was stored is in plain text here: a treasure that was read would be found. */
async function treasuresIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    const { size, mode } = await stat(path);
    if (size > LARGEST || (mode & 0o400) === 0) continue;
    if ((await readFile(path, 'utf8')).includes(TREASURE)) found.push(`a treasure is in ${path}`);
  }
  return found;
}

const LARGEST = 64 << 20;
