import { invocationOf, taskkillArguments } from '@bough/core';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ChildProgram {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** How long a program may take to exit by itself once nobody talks to it, and again once it was told to. */
const FAREWELL_MS = 1_000;
const TERM_MS = 2_000;
const KILL_MS = 1_000;
const LOOK_MS = 20;

/**
 * A tool server that is a program, reached through its standard input and output. It leads a process group of its own:
 * what a wrapper such as `npx` starts ends with it, and Ctrl-C in the terminal does not stop it under turns that still
 * use it.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: ChildProgram;
  readonly #buffer = new ReadBuffer();
  #child: ChildProcessByStdio<Writable, Readable, null> | null = null;
  #told = false;
  #closing: Promise<void> | null = null;

  constructor(program: ChildProgram) {
    this.#program = program;
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#program;
    const invocation = invocationOf(process.platform, command, args, process.env['ComSpec']);
    const child = spawn(invocation.command, invocation.args, {
      // Not our environment: it holds the providers' keys and the token.
      env: { ...getDefaultEnvironment(), ...env },
      // What a server prints to its standard error is its own business.
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      windowsHide: true,
      windowsVerbatimArguments: invocation.windowsVerbatimArguments ?? false,
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.once('close', () => this.#tellClosed());
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (input === undefined || !input.writable) throw new Error('The program is not running.');
    if (!input.write(serializeMessage(message))) {
      await new Promise((resolve) => {
        input.once('drain', resolve);
        input.once('close', resolve);
      });
    }
  }

  /**
   * Anyone waiting for an answer is told at once; resolves when the program and everything that it started are gone.
   */
  close(): Promise<void> {
    this.#tellClosed();
    return (this.#closing ??= this.#end());
  }

  #read(chunk: Buffer): void {
    this.#buffer.append(chunk);
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  #tellClosed(): void {
    if (this.#told) return;
    this.#told = true;
    this.onclose?.();
  }

  async #end(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    this.#child?.stdin.end();
    if (await isGone(pid, FAREWELL_MS)) return;
    signalGroup(pid, 'SIGTERM');
    if (await isGone(pid, TERM_MS)) return;
    signalGroup(pid, 'SIGKILL');
    await isGone(pid, KILL_MS);
  }
}

async function isGone(group: number, patienceMs: number): Promise<boolean> {
  const patienceEnds = performance.now() + patienceMs;
  while (signalGroup(group, 0)) {
    if (performance.now() > patienceEnds) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

/**
 * False where the group is empty. A process that now belongs to another user cannot be killed, and counts as present.
 */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // Windows has neither groups nor signals: a program that did not go by itself is ended with what it started.
  if (process.platform === 'win32' && signal !== 0) {
    spawn('taskkill', taskkillArguments(group), { stdio: 'ignore', windowsHide: true }).once('error', () => undefined);
    return true;
  }
  try {
    return process.kill(process.platform === 'win32' ? group : -group, signal);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
