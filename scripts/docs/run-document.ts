import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fence } from './fences.ts';
import { fileOf, notRunReason } from './fences.ts';
import { freePort } from './free-port.ts';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export interface RanFence {
  readonly fence: Fence;
  readonly out: string;
}

export interface RanDocument {
  /** The exit code of the shell: 0 if every command succeeded. */
  readonly code: number | null;
  /** The fence that was running when it ended. */
  readonly last: Fence | null;
  readonly ran: readonly RanFence[];
  /** Everything on standard error, including the log of every server. */
  readonly err: string;
}

/**
 * Ports that the documents name. Each is replaced by a free one, because a test must not depend on what else runs here.
 */
const PORTS = ['4870', '4871', '4872', '4010'];

/**
 * A document that waits for something that never comes must fail with its own message, before the test's time limit
 * ends it without one.
 */
export const LONGEST_MS = 240_000;

/** How long a shell that was told to stop may take, including its server and database. */
export const STOP_MS = 30_000;

/**
 * Runs the commands of a document as a reader would: in one shell, from top to bottom, in an empty directory that is
 * also the home directory. `bough` is the given program, `curl` is written in Node (curl.mjs). The first command that
 * fails ends it.
 */
export async function runDocument(
  fences: readonly Fence[],
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RanDocument> {
  const place = await mkdtemp(join(tmpdir(), 'bough-docs-'));
  try {
    const ports = new Map<string, string>();
    for (const port of PORTS) ports.set(port, String(await freePort()));
    const steps = fences.filter((fence) => fileOf(fence) !== null || isRun(fence));
    await preparePlace(place, program);
    await writeFile(join(place, 'script.sh'), script(steps, ports, place));
    const { code, err } = await runShell(place, env);
    const ran: RanFence[] = [];
    let last: Fence | null = null;
    for (const [index, fence] of steps.entries()) {
      const out = await readFile(join(place, 'out', String(index)), 'utf8').catch(() => null);
      if (out === null) break;
      last = fence;
      if (isRun(fence)) ran.push({ fence, out });
    }
    return { code, last, ran, err };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

export function isRun(fence: Fence): boolean {
  return fence.language === 'sh' && notRunReason(fence) === null;
}

async function preparePlace(place: string, program: string): Promise<void> {
  const bin = join(place, 'bin');
  for (const directory of [bin, join(place, 'out'), join(place, 'work', 'node_modules')])
    await mkdir(directory, { recursive: true });
  const curl = join(ROOT, 'scripts', 'docs', 'curl.mjs');
  for (const [name, path] of [
    ['bough', program],
    ['curl', curl],
  ] as const) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${path}" "$@"\n`);
    await chmod(join(bin, name), 0o755);
  }
  // What a program that uses the packages would have installed.
  await symlink(join(ROOT, 'node_modules', '@bough'), join(place, 'work', 'node_modules', '@bough'));
}

/** One shell for all fences, so that variables and background jobs persist. Each fence has its own output file. */
function script(steps: readonly Fence[], ports: ReadonlyMap<string, string>, place: string): string {
  const withPorts = (text: string): string =>
    text.replaceAll(/(?<![\d.])(\d{4})(?!\d)/g, (number) => ports.get(number) ?? number);
  const parts = steps.map((fence, index) => {
    const file = fileOf(fence);
    const body = withPorts(fence.body);
    const step =
      file === null ? body : `mkdir -p "$(dirname ${file})"\ncat > ${file} <<'END OF FILE'\n${body}\nEND OF FILE`;
    return `exec > "${place}/out/${index}"\n${step}\n`;
  });
  return `set -eu\numask 022\ncd "${place}/work"\n${parts.join('\n')}`;
}

async function runShell(
  place: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly err: string }> {
  const shell = spawn('sh', [join(place, 'script.sh')], {
    // Its own process group: whatever a failed document left running ends with it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: `${join(place, 'bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: join(place, 'work'),
      BOUGH_SIMULATOR_PACE_MS: '0',
      ...env,
    },
  });
  let err = '';
  shell.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  const closed = once(shell, 'close');
  const group = -(shell.pid ?? 0);
  const limit = setTimeout(() => signal(group, 'SIGTERM'), LONGEST_MS);
  const [code] = (await once(shell, 'exit')) as [number | null];
  clearTimeout(limit);
  if (signal(group, 'SIGTERM')) {
    const impatience = setTimeout(() => signal(group, 'SIGKILL'), STOP_MS);
    await closed;
    clearTimeout(impatience);
  } else await closed;
  return { code, err };
}

/** False if no process of the group is left. */
function signal(group: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(group, name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
