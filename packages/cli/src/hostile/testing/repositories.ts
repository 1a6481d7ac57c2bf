import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Decoy } from './decoy.ts';
import { put } from './loom.ts';

/** A repository made by somebody else. */
export interface HostileRepository {
  readonly name: string;
  readonly make: (directory: string) => Promise<void>;
}

const LINES = [
  {
    id: 'n1',
    timestamp: 1_700_000_000_000,
    parent: null,
    createdOnBranch: 'main',
    type: 'message',
    role: 'user',
    content: 'Hello',
  },
  {
    id: 'n2',
    timestamp: 1_700_000_001_000,
    parent: 'n1',
    createdOnBranch: 'main',
    type: 'message',
    role: 'assistant',
    content: 'Hi.',
  },
];

/** A sound repository as ResearchTree leaves it. */
export async function soundRepository(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const git = (...words: readonly string[]): void => {
    const who = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org', '-c', 'commit.gpgSign=false'];
    execFileSync('git', ['-C', directory, ...who, ...words], { stdio: 'ignore' });
  };
  git('init', '-q', '-b', 'main');
  await put(join(directory, 'nodes.jsonl'), LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await put(join(directory, 'project.json'), { id: 'p', name: 'Trees', createdAt: 1_700_000_000_000 });
  git('add', '.');
  git('commit', '-q', '-m', 'Hello');
}

/** Removes every object, or every object but the commit, so that a reader would ask for it elsewhere. */
async function loseBlobs(directory: string): Promise<void> {
  const list = execFileSync('git', ['-C', directory, 'cat-file', '--batch-all-objects', '--batch-check'], {
    encoding: 'utf8',
  });
  for (const [, hash = ''] of list.matchAll(/^(\w+) blob/gm)) {
    const path = join(directory, '.git', 'objects', hash.slice(0, 2), hash.slice(2));
    await rm(path, { force: true });
  }
}

/** Settings that make git start something. */
function settingsOf({ command, port }: Decoy): Readonly<Record<string, string>> {
  const partial = (remote: string): string =>
    `[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryformatversion = 1\n[remote "origin"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n${remote}`;
  return {
    'a partial clone with an upload pack': partial(`\turl = /nowhere\n\tuploadpack = ${command}\n`),
    'a partial clone by ext': `${partial(`\turl = ext::${command}\n`)}[protocol "ext"]\n\tallow = always\n`,
    'a partial clone by http': partial(`\turl = http://127.0.0.1:${port}/repository\n`),
    'a partial clone by git': partial(`\turl = git://127.0.0.1:${port}/repository\n`),
    'a partial clone by ssh': `${partial('\turl = ssh://127.0.0.1/repository\n')}[core]\n\tsshCommand = ${command}\n`,
    'a file system monitor': `[core]\n\tfsmonitor = ${command}\n`,
    'an hook of recent objects': `[gc]\n\trecentObjectsHook = ${command}\n\tauto = 1\n`,
    'a pager, an editor, an asking program': `[core]\n\tpager = ${command}\n\teditor = ${command}\n\taskPass = ${command}\n[pager]\n\tlog = ${command}\n`,
    'a signing program': `[gpg]\n\tprogram = ${command}\n[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n`,
    'filters and drivers': `[filter "evil"]\n\tclean = ${command}\n\tsmudge = ${command}\n\tprocess = ${command}\n\trequired = true\n[diff "evil"]\n\tcommand = ${command}\n\ttextconv = ${command}\n[diff]\n\texternal = ${command}\n[merge "evil"]\n\tdriver = ${command}\n`,
    'aliases of commands': `[alias]\n\tcat-file = !${command}\n\tupdate-ref = !${command}\n\trev-parse = !${command}\n\tfor-each-ref = !${command}\n\tpack-objects = !${command}\n`,
    'a credential helper': `[credential]\n\thelper = !${command}\n`,
    'an alternate transport': `[url "ext::${command}"]\n\tinsteadOf = /\n[protocol]\n\tallow = always\n`,
    'a packing hook': `[uploadpack]\n\tpackObjectsHook = ${command}\n[core]\n\talternateRefsCommand = ${command}\n`,
  };
}

export function repositories(decoy: Decoy): readonly HostileRepository[] {
  const { home, command } = decoy;
  const spoiled = (name: string, spoil: (directory: string) => Promise<void>): HostileRepository => ({
    name,
    make: async (directory) => {
      await soundRepository(directory);
      await spoil(directory);
    },
  });
  const inGit = (directory: string, ...parts: readonly string[]): string => join(directory, '.git', ...parts);
  return [
    ...Object.entries(settingsOf(decoy)).map(([name, text]) =>
      spoiled(name, async (directory) => {
        await appendFile(inGit(directory, 'config'), text);
        if (name.startsWith('a partial clone')) await loseBlobs(directory);
        await put(join(directory, '.gitattributes'), '* filter=evil diff=evil merge=evil\n');
        await put(inGit(directory, 'info', 'attributes'), '* filter=evil diff=evil merge=evil\n');
      }),
    ),
    spoiled('settings that include others', async (directory) => {
      await put(join(directory, 'evil'), `[core]\n\tfsmonitor = ${command}\n\tsshCommand = ${command}\n`);
      await appendFile(
        inGit(directory, 'config'),
        `[include]\n\tpath = ../evil\n[includeIf "gitdir:**"]\n\tpath = ../evil\n`,
      );
    }),
    spoiled('hooks, and a path of hooks', async (directory) => {
      const hooks = ['reference-transaction', 'post-update', 'pre-auto-gc', 'post-commit', 'post-index-change'];
      for (const name of hooks) {
        await put(inGit(directory, 'hooks', name), `#!/bin/sh\nexec '${command}'\n`);
        await chmod(inGit(directory, 'hooks', name), 0o755);
      }
      await appendFile(inGit(directory, 'config'), `[core]\n\thooksPath = ${inGit(directory, 'hooks')}\n`);
    }),
    spoiled('alternates that lie elsewhere', async (directory) => {
      await soundRepository(join(directory, 'other'));
      await put(
        inGit(directory, 'objects', 'info', 'alternates'),
        `${join(directory, 'other/.git/objects')}\n${home}\n`,
      );
      await loseBlobs(directory);
    }),
    spoiled('a .git that points elsewhere', async (directory) => {
      await rename(inGit(directory), join(directory, 'elsewhere'));
      await writeFile(inGit(directory), `gitdir: ${join(directory, 'elsewhere')}\n`);
    }),
    ...['', 'config', 'HEAD', 'objects', 'refs', 'refs/heads', 'refs/heads/main', 'bough', 'rt-branch-config.json'].map(
      (name) =>
        spoiled(`.git/${name} as a link`, async (directory) => {
          const path = inGit(directory, ...name.split('/').filter((part) => part !== ''));
          await rm(path, { recursive: true, force: true });
          await symlink(
            name.includes('.') || name === 'HEAD' ? join(home, '.config/treasure.json') : join(home, '.config'),
            path,
          );
        }),
    ),
    spoiled('refs and branches with names that lead out', async (directory) => {
      const head = execFileSync('git', ['-C', directory, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
      const lines = [
        'refs/heads/../../../home/planted',
        'refs/heads/--upload-pack=x',
        'refs/bough/meta',
        'refs/heads/\u001b[2J',
      ];
      await put(inGit(directory, 'packed-refs'), lines.map((ref) => `${head} ${ref}\n`).join(''));
      await put(inGit(directory, 'HEAD'), 'ref: refs/heads/../../../home/planted\n');
    }),
    spoiled('files of Bough’s own, made up', async (directory) => {
      await put(inGit(directory, 'bough', 'summary.json'), { format: 1, project: { id: '../../home' } });
      await put(inGit(directory, 'bough', 'leases.json'), '{"x":');
      await put(inGit(directory, 'bough', 'writer'), String(process.pid));
      await symlink(join(home, '.bashrc'), inGit(directory, 'bough', 'log'));
    }),
    spoiled('objects that are none', async (directory) => {
      for (const name of await readdir(inGit(directory, 'objects'))) {
        if (name.length === 2) await rm(inGit(directory, 'objects', name), { recursive: true });
      }
    }),
  ];
}
