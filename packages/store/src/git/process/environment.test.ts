import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { seedProject, seedTurn } from '../../contract/build.ts';
import { git, openStore, temporaryDirectory } from '../testing/workplace.ts';

const SECRETS = { BOUGH_TOKEN: 'secret-token', ANTHROPIC_API_KEY: 'secret-key', DATABASE_URL: 'secret-url' };
const MISLEADING = { GIT_DIR: '/nowhere', GIT_SSH_COMMAND: 'secret-command', GIT_CONFIG_COUNT: '0', GIT_TRACE: '1' };

const KNOWN = [
  'GIT_ATTR_NOSYSTEM',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_SYSTEM',
  'GIT_NO_LAZY_FETCH',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_TERMINAL_PROMPT',
  'HOME',
  'LC_ALL',
  'PATH',
];

afterEach(() => vi.unstubAllEnvs());

const stub = (): void => {
  for (const [name, value] of Object.entries({ ...SECRETS, ...MISLEADING })) vi.stubEnv(name, value);
};

describe.runIf(process.platform === 'linux')('GIT-22: the environment of git', () => {
  test('GIT-22: a git that runs holds no secret of Bough', async () => {
    const beside = spawn('sleep', ['60']);
    onTestFinished(() => void beside.kill());
    const root = await temporaryDirectory();
    let store = await openStore(root);
    const { project, branch } = await seedProject(store);
    const { reply } = await seedTurn(store, project, branch, null);
    await store.close();
    // Packed, so that git is needed to read it.
    git(join(root, project.id), 'gc', '--quiet');
    stub();
    // A database or a browser of an earlier file may still run beside this one, with all that its test gave it.
    const others = new Set(children());
    store = await openStore(root);
    await store.path(project.id, reply.id);
    const environments = children()
      .filter((pid) => !others.has(pid))
      .map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'));
    expect(environments.length).toBeGreaterThan(0);
    for (const environment of environments) {
      expect(environment.join('\n')).not.toContain('secret');
      expect(namesIn(environment)).toStrictEqual([...KNOWN, 'GIT_OBJECT_DIRECTORY'].sort());
    }
  });

  test('GIT-22: nor does any other that is started, however short it lives', async () => {
    // Takes git's place on the PATH: records what it was given, then runs git.
    const [root, place] = [await temporaryDirectory(), await temporaryDirectory()];
    const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const seen = join(place, 'seen');
    await writeFile(join(place, 'git'), `#!/bin/sh\n{ echo "run $*"; env; } >> ${seen}\nexec ${real} "$@"\n`);
    await chmod(join(place, 'git'), 0o755);
    stub();
    vi.stubEnv('PATH', `${place}:${process.env['PATH'] ?? ''}`);
    const store = await openStore(root, { packing: { looseObjects: 1, packs: 2 } });
    const { project, branch } = await seedProject(store);
    let tip = null;
    for (let round = 0; round < 3; round += 1) tip = (await seedTurn(store, project, branch, tip)).reply.id;
    await vi.waitFor(async () => {
      for (const command of ['--version', 'prune-packed', 'repack', 'prune --expire'])
        expect(await readFile(seen, 'utf8')).toMatch(new RegExp(`^run .*${command}`, 'm'));
    }, 20_000);
    await store.close();
    const text = await readFile(seen, 'utf8');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('GIT_TRACE');
    expect(text.match(/^run /gm)?.length).toBeGreaterThan(5);
  });
});

/** The processes that this one has started and that still run. */
function children(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid);
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended in the meantime.
    return null;
  }
}

const namesIn = (environment: readonly string[]): readonly string[] =>
  environment.flatMap((entry) => (entry === '' ? [] : [entry.split('=')[0] ?? ''])).sort();
