import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Account } from '../embedded/account.ts';

/** Another process that uses an embedded server. */
export interface Member {
  readonly uid: number | null;
  readonly postmaster: number;
  readonly home: string;
  /** Lets it leave gracefully. */
  readonly leave: () => Promise<void>;
  /** Kills the process alone, or with the whole group that it leads. */
  readonly kill: (signal: NodeJS.Signals, whom?: 'group') => Promise<void>;
}

export async function startMember(
  program: string,
  args: readonly string[],
  account: Account | null = null,
): Promise<Member> {
  const child = spawn(process.execPath, [program, ...args], {
    ...account,
    // Outside the repository, which the account may not be able to enter.
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group of its own, as a program in a terminal has.
    detached: true,
  });
  const complaints: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    return {
      ...(JSON.parse(line) as Pick<Member, 'uid' | 'postmaster' | 'home'>),
      ...endings(child, exited, complaints),
    };
  }
  await exited;
  throw new Error(`the member ended before it was ready: ${complaints.join('')}`);
}

function endings(
  child: ChildProcess,
  exited: Promise<unknown[]>,
  complaints: readonly string[],
): Pick<Member, 'leave' | 'kill'> {
  return {
    leave: async () => {
      child.stdin?.end();
      const [code] = await exited;
      if (code !== 0) throw new Error(`the member ended with ${String(code)}: ${complaints.join('')}`);
    },
    kill: async (signal, whom) => {
      if (whom === 'group' && child.pid !== undefined) process.kill(-child.pid, signal);
      else child.kill(signal);
      await exited;
    },
  };
}
