import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const HERE = import.meta.dirname;
/** The value of an expression over a script's exports. */
async function ask(script: string, expression: string): Promise<unknown> {
  const program = `const it = await import(${JSON.stringify(join(HERE, script))});
    console.log(JSON.stringify(${expression}));`;
  return JSON.parse((await run(process.execPath, ['--input-type=module', '--eval', program])).stdout) as unknown;
}

describe('a release', () => {
  it('is described by the changelog: its own part, and only that', async () => {
    const text = JSON.stringify(
      '# Changes\n\n## Unreleased\n\n- a\n\n## 1.2.30 (May)\n\n- c\n\n## 1.2.3\n\n- b\n- d\n\n## 1.0.0\n',
    );
    expect(await ask('notes.mjs', `['1.2.3', '1.2.30', '1.0.0', '9.9.9'].map((v) => it.notesOf(${text}, v))`)).toEqual([
      '- b\n- d',
      '- c',
      '',
      null,
    ]);
  });

  it('is refused where the tag is not the version of the packages, and where nothing is said about it', async () => {
    const notes = (tag: string): Promise<unknown> => run(process.execPath, [join(HERE, 'notes.mjs'), tag]);
    await expect(notes('v9.9.9')).rejects.toMatchObject({ stderr: expect.stringContaining('set-version') as string });
    await expect(notes('nonsense')).rejects.toMatchObject({ stderr: expect.stringContaining('no version') as string });
  });

  it('publishes what others depend on first', async () => {
    const names = [
      'bough-1.0.0.tgz',
      'bough-ai-sdk-1.0.0.tgz',
      'bough-core-1.0.0.tgz',
      'bough-providers-1.0.0.tgz',
      'x.json',
    ];
    expect(await ask('pack.mjs', `it.inOrder(${JSON.stringify(names)})`)).toEqual([
      'bough-core-1.0.0.tgz',
      'bough-providers-1.0.0.tgz',
      'bough-ai-sdk-1.0.0.tgz',
      'bough-1.0.0.tgz',
    ]);
  });

  it('is not what `npm install` takes while it is an early version', async () => {
    const names = ['bough-1.0.0.tgz', 'bough-ai-sdk-10.2.3.tgz', 'bough-core-1.0.0-rc.1.tgz', 'bough-2.0.0-beta.tgz'];
    expect(await ask('publish.mjs', `${JSON.stringify(names)}.map(it.tagOf)`)).toEqual([
      'latest',
      'latest',
      'next',
      'next',
    ]);
  });
});
