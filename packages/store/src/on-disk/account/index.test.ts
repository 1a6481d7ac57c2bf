import { appendFile, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectId } from '@bough/core';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { buildCall, buildProject, buildTurn } from '../../contract/build.ts';
import { modesOf } from '../disk/index.ts';
import type { Account } from './index.ts';
import { accountAt } from './index.ts';

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'bough-account-')));
  onTestFinished(() => rm(base, { recursive: true }));
});

const opened = async (): Promise<Account> => accountAt(base, 'spending', await modesOf(base));
const call = () =>
  buildCall(buildTurn(buildProject(), null), null, {
    startedAt: '2031-03-04T05:06:07.000Z',
    usage: { inputTokens: 1, outputTokens: 1 },
  });
const counted = async (account: Account): Promise<number> =>
  (await account.spending({})).reduce((sum, { calls }) => sum + calls, 0);

test('ST-165: a call that is stored again after a crash is counted once', async () => {
  const one = call();
  const account = await opened();
  await account.add([one]);
  await account.add([one, call()]);
  expect(await counted(account)).toBe(2);
  const heir = await opened();
  await heir.add([one]);
  expect(await counted(heir)).toBe(2);
});

test('ST-165: a line that a crash tore, and what a hand wrote, are left out; the next one is whole', async () => {
  const account = await opened();
  await account.add([call()]);
  const file = join(base, 'spending', '2031-03-04.jsonl');
  await appendFile(file, '{"call":"x","day":"2031-03-04","calls":-5}\nnonsense\n{"call":"torn","da');
  await writeFile(join(base, 'spending', 'notes.txt'), 'not an account');
  const heir = await opened();
  expect(await counted(heir)).toBe(1);
  await heir.add([call()]);
  expect(await counted(await opened())).toBe(2);
});

test('ST-165: no link leads the account elsewhere', async () => {
  await symlink(tmpdir(), join(base, 'spending'));
  const account = await opened();
  await expect(account.add([call()])).rejects.toMatchObject({ code: 'link_refused' });
  await expect(account.spending({ project: projectId('p') })).rejects.toMatchObject({ code: 'link_refused' });
});
