import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CrashBackend } from '../contract/crash/backend.ts';
import { hasCode } from '../on-disk/disk/index.ts';
import { openGitStore } from './index.ts';

let kills = 0;

/** So eager that the kills hit packing too. */
export const EAGER_PACKING = { looseObjects: 40, packs: 3 };

export const crashBackend: CrashBackend = {
  writer: new URL('./programs/crash-writer.ts', import.meta.url),
  place: async () => {
    const location = await mkdtemp(join(tmpdir(), 'bough-git-crash-'));
    return {
      location,
      dispose: async () => {
        try {
          await requireSound(location);
        } finally {
          await rm(location, { recursive: true });
        }
      },
    };
  },
  open: (directory) => openGitStore({ directory, packing: EAGER_PACKING }),
  // Every other time git is killed too, in the middle of whatever it does; otherwise it lives on and must be waited
  // for.
  kill: (writer) => {
    kills += 1;
    const git = kills % 2 === 0 ? childrenOf(writer) : [];
    for (const pid of [...git, writer]) killIfThere(pid);
  },
};

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Without /proc, only the writer is killed. */
function childrenOf(parent: number): readonly number[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.filter((pid) => parentOf(pid) === parent).map(Number);
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return null;
    throw error;
  }
}

/** git's own verdict on every repository that the crashes left. */
async function requireSound(location: string): Promise<void> {
  for (const name of await readdir(location)) {
    if (name.startsWith('.')) continue;
    const args = ['--git-dir', join(location, name, '.git'), 'fsck', '--strict', '--no-dangling', '--no-progress'];
    const { stdout, stderr } = await promisify(execFile)('git', args);
    // A project made just before the last kill has no branch yet: git gives notice of that, and it is not damage.
    const said = `${stdout}${stderr}`.replace(/^notice: .*\n/gm, '');
    if (said !== '') throw new Error(`git fsck in ${name}: ${said}`);
  }
}
