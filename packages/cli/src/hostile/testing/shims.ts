import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The directory that is the whole PATH: `git` records its arguments and runs as itself; nothing else can be found. */
export async function makeShims(directory: string, log: string): Promise<void> {
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const path = join(directory, 'git');
  await writeFile(path, `#!/bin/sh\necho "$*" >> '${log}'\nexec '${git}' "$@"\n`);
  await chmod(path, 0o755);
}
