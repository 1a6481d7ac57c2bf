import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A program that serves HTTP, in its own process, so that its cost can be attributed to it. */
export interface Program {
  readonly pid: number;
  readonly url: string;
  /** Over the process's message channel, for programs of the bench. */
  readonly ask: <Answer>(question: object) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

export interface Launch {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly node?: readonly string[];
}

/** Starts a program and waits for the address it prints. */
export async function launch(file: URL, { args = [], env = {}, node = [] }: Launch = {}): Promise<Program> {
  const child = spawn(process.execPath, [...node, file.pathname, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await addressOf(child);
  return {
    pid: child.pid ?? Number.NaN,
    url,
    ask: (question) => ask(child, question),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  let complained = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (complained = (complained + chunk).slice(-4_000)));
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-4_000);
      const found = /http:\/\/[\w.:[\]]+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`A program ended with ${code} before it was ready: ${complained}`)));
  });
}

function ask<Answer>(child: ChildProcess, question: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error('The program ended before it answered.'));
    child.once('exit', gone);
    child.once('message', (answer: { readonly ok: Answer } | { readonly failed: string }) => {
      child.off('exit', gone);
      if ('failed' in answer) reject(new Error(answer.failed));
      else resolve(answer.ok);
    });
    child.send(question);
  });
}

/** Processor time of a process so far in microseconds, all threads together, as the scheduler counts it. */
export function cpuMicros(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => sum + runtimeOf(`${tasks}/${task}/schedstat`), 0);
}

function runtimeOf(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8').split(' ')[0]) / 1_000;
  } catch (error) {
    // A thread that ended while we were reading.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

/** The same for a process and everything it started: a database works in many processes. */
export function cpuMicrosWithChildren(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, member) => sum + cpuMicros(member), 0);
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}
